// pg's own mapping of a parameter to what goes over the wire; its published types leave the module out.
declare module 'pg/lib/utils.js' {
  export function prepareValue(value: unknown): string | Buffer | null;
}
