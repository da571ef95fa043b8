/** The path of a route as the API reference writes it: `/v1/api/deals/{dealId}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');
