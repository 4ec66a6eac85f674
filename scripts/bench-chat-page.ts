/**
 * Measures the chat page in a browser while a long answer grows: the longest task of its main thread, which is its
 * longest frame, and its share of a core at 50 tokens per second at the end of 32,000 tokens. Needs build/ui and
 * Chromium.
 */
import { say, scripted } from '../ui/testing/chat.ts'
import { codeBlock, prose } from '../ui/testing/long-answer.ts'
import { taskTimes } from '../ui/testing/task-times.ts'
import { onChatPage } from './bench/pages/chat-page.ts'

const slowTokens = 500
const tokenMs = 20

await onChatPage(async (page) => {
  const slow = (text: string) => ({ repeat: slowTokens / 2, script: [{ text }, { delayMs: tokenMs }] })
  const answer = [prose, { text: 'A pause.\n\n' }, { delayMs: 3_000 }, ...codeBlock.slice(0, 2), { text: '// slow\n' }]
  const fast = await taskTimes(page, async () => {
    await say(page, scripted([...answer, { delayMs: 3_000 }, slow('let b = 1\n'), { text: '```\n\n' }, slow('word ')]))
    const isThere = () => document.querySelector('.code-block')?.textContent?.includes('// slow') === true
    await page.waitForFunction(isThere, undefined, { timeout: 60_000 })
  })
  const startedAt = performance.now()
  const end = await taskTimes(page, () => page.getByText('Answer complete').waitFor({ timeout: 60_000 }))
  const seconds = (performance.now() - startedAt) / 1_000
  const endMs = end.reduce((sum, ms) => sum + ms, 0)
  console.log(`32,000 tokens as fast as they come: longest frame ${fast[0]?.toFixed(0)} ms of processor time`)
  console.log(
    `then ${slowTokens} tokens, one in ${tokenMs} ms: longest frame ${end[0]?.toFixed(0)} ms, ` +
      `${((endMs / seconds / 1_000) * 100).toFixed(1)} % of a core over ${seconds.toFixed(1)} s`,
  )
})
