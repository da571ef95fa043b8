import htm from 'htm';
import { h as create, type VNode } from 'preact';

export { render, type VNode } from 'preact';
export { useEffect, useRef, useState } from 'preact/hooks';

/** Values that a template accepts as content. */
export type Content = VNode | string | number | null | undefined | false | readonly Content[];

type Template = (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

// The package's types describe its CommonJS build; a browser imports the function itself.
export const html = (htm as unknown as { bind(element: typeof create): Template }).bind(create);

/** A view with state of its own. Its properties are checked here, which a template cannot do; another key is another view. */
export const h = <Props extends object>(view: (props: Props) => VNode | null, props: Props & { key?: string }): VNode =>
  create(view as (props: object) => VNode | null, props) as VNode;
