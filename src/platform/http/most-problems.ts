/** Problems that a refusal lists at the most. Checks may end at so many: the message of the refusal then says that there may be more. */
export const MOST_PROBLEMS = 100;
