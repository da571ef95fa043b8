/** Failures of pieces of work of which none may stop the others; they are thrown when all have had their turn. */
export class Failures {
  readonly errors: unknown[] = [];

  /** The result of the work; null when it failed. */
  async keep<Result>(work: Promise<Result>): Promise<Result | null> {
    try {
      return await work;
    } catch (error) {
      this.errors.push(error);
      return null;
    }
  }

  /** Throws all failures as one error, if there are any. */
  throwAny(): void {
    const { errors } = this;
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} failures`);
  }
}
