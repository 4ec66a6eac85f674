import type { Page } from 'playwright-core'
import type { FakeAction } from '../../src/engines/fake/script.ts'

/** Action of the fake engine, or a script of actions to repeat */
export type Action = FakeAction | { readonly repeat: number; readonly script: readonly FakeAction[] }

/** Returns a message that makes the fake engine follow the script. */
export function scripted(script: readonly Action[], more: object = {}): string {
  return JSON.stringify({ script, ...more })
}

/** Opens the chat with a model. */
export async function openChat(page: Page, model: string): Promise<void> {
  await page.goto(`/dashboard/chat?model=${encodeURIComponent(model)}`)
  await page.getByRole('button', { name: /^Model \S/ }).waitFor()
}

/** Chooses a model by the picker with this label. */
export async function chooseModel(page: Page, model: string, label = 'Model'): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${label} \\S`) }).click()
  await page.getByRole('option', { name: model }).click()
  await page.getByRole('button', { name: `${label} ${model}` }).waitFor()
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}

/** Waits for the figures of the last answer, and opens them. Returns them by name. */
export async function figures(page: Page): Promise<Record<string, string>> {
  const step = page.locator('.step').last()
  const button = step.locator('.details-button')
  await button.waitFor()
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click()
  const list = step.locator('.figures')
  await list.waitFor()
  const pairs = await list
    .locator('> div')
    .evaluateAll((rows) =>
      rows.map((row) => [row.querySelector('dt')?.textContent ?? '', row.querySelector('dd')?.textContent ?? '']),
    )
  return Object.fromEntries(pairs)
}

/** Gives the page a file by an event of the browser: a paste into the message, or a drop on it. */
export async function give(
  page: Page,
  event: 'paste' | 'drop',
  bytes: Uint8Array,
  name: string,
  type = 'image/png',
): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).evaluate(
    (field, [kind, base64, fileName, fileType]) => {
      const transfer = new DataTransfer()
      const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      transfer.items.add(new File([content], fileName, { type: fileType }))
      const options = { bubbles: true, cancelable: true }
      field.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: transfer })
          : new DragEvent('drop', { ...options, dataTransfer: transfer }),
      )
    },
    [event, Buffer.from(bytes).toString('base64'), name, type] as const,
  )
}
