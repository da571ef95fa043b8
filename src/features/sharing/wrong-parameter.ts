import { ApiError } from '../../platform/http/errors.ts';
import { shown } from '../../platform/http/shown.ts';

/** 400 for a parameter that does not have its form. Bodies have no schema here, so that it can be of any type. */
export function wrongParameter(name: string, given: unknown, expected: string): ApiError {
  const seen = typeof given === 'string' || typeof given === 'number' ? shown(String(given)) : 'neither text nor a number';
  return new ApiError('VALIDATION_FAILED', `${name} has to be ${expected}, and is ${seen}.`);
}
