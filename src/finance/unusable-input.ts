/** A loan, curve or assumption that cannot be used in a calculation. Unlike a plain RangeError, its message is written for the user. */
export class UnusableInputError extends RangeError {
  override name = 'UnusableInputError';
}
