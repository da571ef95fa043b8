import { ApiError, invalidField } from '../../platform/http/errors.ts';

/** The error of a stratification that cannot be made. */
export function refuseStrats(fault: { code: string; parameter: string; message: string }): never {
  if (fault.code === 'INVALID_BANDS') throw invalidField(fault.parameter, 'INVALID', fault.message);
  const errors = [{ field: fault.parameter, code: fault.code, message: fault.message }];
  if (fault.code === 'UNKNOWN_FIELD')
    throw new ApiError('UNKNOWN_FIELD', `The field is not known: ${fault.message}.`, { errors });
  throw new ApiError('UNPROCESSABLE', `The field ${fault.message}.`, { errors });
}
