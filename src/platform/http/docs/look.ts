export const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: color-mix(in srgb, currentColor 18%, transparent); --soft: color-mix(in srgb, currentColor 6%, transparent); }
body { margin: 0; }
header { padding: .6rem 1rem; border-bottom: 1px solid var(--line); font-weight: 600; }
header a { color: inherit; text-decoration: none; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: Canvas; padding: .25rem .5rem; }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 82rem; margin: 0 auto; }
nav { font-size: .9rem; padding: 1rem; border-right: 1px solid var(--line); }
nav .menu { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow: auto; }
nav summary { display: none; }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .05em; margin: 1rem 0 .25rem; opacity: .75; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .1rem .4rem; border-radius: 4px; color: inherit; text-decoration: none; }
nav li a:hover, nav [aria-current] { background: var(--soft); }
main { padding: 1rem 2rem 6rem; min-width: 0; }
h1 { margin-top: .5rem; }
section { border-top: 1px solid var(--line); padding: 1rem 0 1.5rem; content-visibility: auto; contain-intrinsic-size: auto 40rem; }
section h2 { margin: 0; font-size: 1.2rem; }
section h2 a, h3 a { color: inherit; text-decoration: none; }
h3 { margin: 1.2rem 0 .3rem; font-size: .95rem; }
.place { font: .9rem ui-monospace, monospace; overflow-wrap: anywhere; margin: .2rem 0; }
.method { font-weight: 700; border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; margin-right: .3rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
td:first-child { width: 14rem; }
td p { margin: 0; }
.type { opacity: .8; }
.needed { font-size: .75rem; opacity: .8; }
details > summary { cursor: pointer; }
details details, td details { margin: .2rem 0 .2rem .2rem; padding-left: .6rem; border-left: 2px solid var(--line); }
pre { background: var(--soft); padding: .7rem; border-radius: 6px; overflow-x: auto; font-size: .85rem; }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
pre code { overflow-wrap: normal; }
section:target h2, details:target > summary { text-decoration: underline 2px Highlight; }
.filter { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem .7rem; margin: .5rem 0; }
.operations { list-style: none; padding: 0; }
.operations li { padding: .15rem 0; }
.operations .place { opacity: .8; margin-left: .4rem; word-spacing: .3rem; }
[hidden] { display: none; }
@media (max-width: 50rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  nav { border-right: 0; border-bottom: 1px solid var(--line); padding: .5rem 1rem; }
  nav summary { display: block; }
  nav .menu { position: static; max-height: none; }
  main { padding: 1rem; }
  td:first-child { width: auto; }
}
`;

/** Filters the list of operations, opens what an address leads to, and folds the list of pages on a narrow screen. */
export const SCRIPT = `const field = document.querySelector('.filter');
if (field) {
  const entries = [...document.querySelectorAll('.operations li')].map((item) => [item, item.textContent.toLowerCase()]);
  const chapters = [...document.querySelectorAll('[data-chapter]')];
  const count = document.querySelector('[role=status]');
  const show = () => {
    const words = field.value.toLowerCase().split(/\\s+/);
    let found = 0;
    for (const [item, text] of entries) {
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) found += 1;
    }
    for (const chapter of chapters) chapter.hidden = !chapter.querySelector('li:not([hidden])');
    count.textContent = field.value ? found + (found === 1 ? ' operation' : ' operations') : '';
  };
  field.addEventListener('input', show);
  if (field.value) show();
}
const open = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let each = target; each; each = each.parentElement) if (each.tagName === 'DETAILS') each.open = true;
  if (target) target.scrollIntoView();
};
addEventListener('hashchange', open);
open();
if (matchMedia('(max-width: 50rem)').matches) document.querySelector('.menu').open = false;
`;
