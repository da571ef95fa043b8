import { Anchor, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef, ReactNode } from 'react';

type LinkProps = ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>;

/** A link to another page of the console. */
export const To = createLink(Anchor<'a'>);
/** The same, as a button: for the next step of what a page is for. */
export const ButtonTo = createLink((props: LinkProps): ReactNode => <Button component="a" {...props} />);
