import { html, render } from './lib/view.ts';
import { App } from './shell/app.ts';

const root = document.getElementById('app');
if (root) render(html`<${App} />`, root);
