/** A loan, curve or assumption that cannot be calculated with. Its message is written for whoever gave it; that of a plain RangeError is not. */
export class UnusableInputError extends RangeError {
  override name = 'UnusableInputError';
}
