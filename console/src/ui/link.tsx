import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef, ReactNode } from 'react';

type LinkProps<Look> = Look & Omit<ComponentPropsWithRef<'a'>, keyof Look>;

// The router takes a page above for the current one, and says so of the link back to it: where one is, the navigation says.
const HERE = { 'aria-current': undefined };

/** A link to another page of the console. */
export const To = createLink((props: LinkProps<AnchorProps>): ReactNode => <Anchor {...props} {...HERE} />);
/** The same, as a button: for the next step of what a page is for. */
export const ButtonTo = createLink((props: LinkProps<ButtonProps>): ReactNode => <Button component="a" {...props} {...HERE} />);
