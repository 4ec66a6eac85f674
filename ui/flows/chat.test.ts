import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { until } from '../../src/testing/until.ts'
import { performed, type TestAccount } from '../testing/accounts.ts'
import { chooseModel, figures, openChat, say, scripted } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
addFakeModel(site.inferd, 'fake')

/** FIFO. The slow model is loaded once something is written to it. */
const gate = join(site.inferd.dataDir, 'gate')
Bun.spawnSync(['mkfifo', gate])
addFakeModel(site.inferd, 'slow', { file: { gate } })

let made: Promise<TestAccount> | undefined

/** Returns an account with money, always the same: there are few signups a day from one address. */
function payer(): Promise<TestAccount> {
  made ??= site.account({ balanceUsd: '5' })
  return made
}

test('An answer streams with thinking folded, Stop or Escape ends it within a second, the figures and the receipt agree to the last digit.', async () => {
  const account = await payer()
  await site.visit({ account }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await say(
      page,
      scripted([
        { reasoning: 'Deep ' },
        { reasoning: 'thought.' },
        { text: 'The **answer** ' },
        { waitForCancel: true },
      ]),
    )
    const answer = page.locator('.answer-text')
    await answer.getByText('answer').waitFor()
    expect(await answer.locator('strong').textContent()).toBe('answer')
    const thinking = page.locator('details.thinking')
    expect(await thinking.getAttribute('open')).toBeNull()
    expect(await page.getByText('Deep thought.').isVisible()).toBe(false)
    await thinking.locator('summary').click()
    await page.getByText('Deep thought.').waitFor()

    // Counted in frames: an idle machine shows 60 a second, a busy one fewer.
    const frames = await page.getByRole('button', { name: 'Stop' }).evaluate(async (button: HTMLElement) => {
      button.click()
      let count = 0
      for (; count <= 60 && document.querySelector('.stopped') === null; count += 1)
        await new Promise(requestAnimationFrame)
      return count
    })
    expect(frames).toBeLessThan(60)
    expect(await answer.textContent()).toContain('The answer')

    const shown = await figures(page)
    const receipt = await performed(site.inferd, account, 'usage-receipt', { request: shown.request ?? '' })
    expect(receipt.finish).toBe('client_disconnect')
    expect(receipt.chargedUsd).toBe('0.000011')
    expect(await page.locator('.stopped').textContent()).toBe('Stopped. Charged: $0.000011.')
    expect(shown).toMatchObject({ 'tokens in': '5', out: '3 (2 thinking)', cost: '$0.000011', end: 'stopped' })
    const { promptTokens, completionTokens, reasoningTokens } = receipt.used
    expect([promptTokens, completionTokens, reasoningTokens]).toEqual([5, 3, 2])
    await thinking.getByText(/^Thought for .* \(2 tokens\)$/).waitFor()
    // One row under the answer holds the rest, folded.
    const row = page.locator('.step .turn-actions')
    expect(await row.locator('.details-button').textContent()).toMatch(/^3 tokens, .*\$0\.000011/)
    expect((await row.boundingBox())?.height).toBeLessThan(33)
    await row.locator('.details-button').click()
    expect(await page.locator('.step .figures').count()).toBe(0)

    await say(page, scripted([{ text: 'Another ' }, { waitForCancel: true }]))
    await answer.getByText('Another').waitFor()
    // A menu takes the first Escape.
    await page.locator('.conversations-head summary').click()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true)
    const search = page.getByRole('searchbox', { name: 'Search conversations' })
    await search.fill('words')
    await page.keyboard.press('Escape')
    expect(await search.inputValue()).toBe('')
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await page.locator('.stopped').nth(1).waitFor()
  })
})

test('A balance of $0 in the playground gives the 402 with its figures and the way to billing.', async () => {
  await site.visit({ account: await site.account() }, async ({ page }) => {
    await openChat(page, 'test/fake')
    const answering = page.waitForResponse('**/v1/chat/completions')
    await say(page, 'Hello there')
    const answer = await answering
    expect(answer.status()).toBe(402)
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } }
    expect(error.message).toMatch(/needs up to \$0\.\d+ and \$0 is available/)
    const failure = page.locator('.failure')
    await failure.getByText(error.message).waitFor()
    // No retry is offered, because the same request would be refused again.
    expect(await page.getByRole('button', { name: /^Re(try|do)$/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await page.getByLabel('System text').fill('Be short.')
    await page.getByRole('button', { name: 'Retry' }).waitFor()
    await failure.getByRole('link', { name: 'Add funds' }).click()
    await page.getByRole('heading', { name: 'Billing' }).waitFor()
    await page.locator('.balance-card').getByText('requests are refused until some is added').waitFor()
    await page.getByLabel('Voucher code').waitFor()
  })
})

test('A tool call shows its arguments, takes a typed result, and the model goes on with it; nothing runs without a click.', async () => {
  await site.visit({ account: await payer() }, async ({ page }) => {
    const sent: string[] = []
    page.on('request', (request) => request.url().includes('/dashboard/v1/chat/') && sent.push(request.url()))
    await openChat(page, 'test/fake')
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    const panel = page.getByRole('complementary', { name: 'Settings' })
    await panel.getByText('Tools', { exact: true }).click()
    const json = panel.getByLabel('Tools as JSON')
    expect(await json.getAttribute('aria-invalid')).toBe('false')
    await panel.getByRole('button', { name: 'get_weather' }).click()
    await page.getByRole('button', { name: 'Settings, 1 set' }).waitFor()
    const before = await json.inputValue()
    await json.fill('no JSON')
    await panel.getByText('This is not yet JSON. Look at the quotes, commas and brackets.').waitFor()
    await json.fill(before)
    await panel.getByRole('button', { name: 'Close' }).click()
    await page.locator('.chat-head button:focus', { hasText: 'Settings, 1 set' }).waitFor()
    const call = { tool: { name: 'get_weather', arguments: ['{"city":', '"Bern"}'] } }
    await say(page, scripted([{ echoRequest: true }, call], { finish: 'tool-calls' }))

    const form = page.getByRole('group', { name: 'Call of get_weather' })
    await form.getByText('Bern').waitFor()
    await figures(page)
    const result = form.getByRole('textbox', { name: 'Result' })
    expect(await result.inputValue()).toBe('')
    expect(sent).toHaveLength(1)
    const send = page.getByRole('button', { name: 'Send result' })
    expect(await send.isDisabled()).toBe(true)

    await form.getByRole('button', { name: 'Use the sample’s result' }).click()
    expect(JSON.parse(await result.inputValue())).toMatchObject({ city: 'Bern' })
    expect(sent).toHaveLength(1)
    await result.fill('{"temp": 4711}')
    await send.click()
    const second = page.locator('.step').nth(1)
    await second.locator('.answer-text').getByText('4711').waitFor()
    expect(await page.locator('.step').first().locator('.answer-text').textContent()).not.toContain('4711')
    expect(sent).toHaveLength(2)
  })
})

test('A model that must be loaded first shows progress and position; leaving the page meanwhile cancels the request on the server.', async () => {
  const account = await payer()
  await site.visit({ account }, async ({ page }) => {
    const waiting = (wanted: number) =>
      until(
        `${wanted} requests wait for the model`,
        async () => {
          const rows = await performed(site.inferd, account, 'models-loading', {})
          return rows.find(({ id }) => id === 'test/slow')?.waiting ?? 0
        },
        (count) => count === wanted,
      )
    const before = fetch(`${site.inferd.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/slow', messages: [{ role: 'user', content: 'first' }] }),
    })
    await waiting(1)
    await openChat(page, 'test/slow')
    await say(page, 'second')
    await page.getByText(/^Loading the model, [1-9]\d* s.*, 1 before you$/).waitFor()
    await waiting(2)
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await waiting(1)
    await Bun.spawn(['sh', '-c', 'echo open > "$0"', gate]).exited
    expect((await before).status).toBe(200)
  })
})

test('On a phone the tools take one row, settings are a sheet, and the field stays above the keyboard.', async () => {
  await site.visit({ account: await payer(), size: 'narrow' }, async (visit) => {
    const { page } = visit
    await openChat(page, 'test/fake')
    await say(page, scripted([{ repeat: 40, script: [{ text: 'A line.\n\n' }] }]))
    await page.locator('.details-button').waitFor()
    const head = await page.locator('.chat-head').boundingBox()
    const buttons = await page
      .locator('.chat-head > button')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    expect(new Set(buttons).size).toBe(1)
    expect(head?.height).toBeLessThan(80)
    // Two models take another row, in which no word of theirs breaks.
    await page.getByRole('button', { name: 'Compare' }).click()
    const second = page.getByRole('button', { name: /^Model 2 \S/ })
    await second.waitFor()
    const label = await second.locator('.muted').first().boundingBox()
    expect(label?.height).toBeLessThan(30)
    await page.getByRole('button', { name: 'Compare' }).click()
    await second.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: 'Settings' })
    await sheet.getByLabel('Temperature').fill('5')
    await sheet.getByRole('button', { name: 'Done' }).click()
    // What cannot be sent is not set.
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await sheet.getByLabel('Temperature').fill('0.5')
    expect(await visit.axe()).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Settings, 1 set' }).waitFor()

    const field = page.getByRole('textbox', { name: 'Message' })
    const bottom = () => page.locator('.composer').evaluate((composer) => composer.getBoundingClientRect().bottom)
    const isEndSeen = () =>
      page.waitForFunction(() => {
        const composer = document.querySelector('.composer')?.getBoundingClientRect().top ?? 0
        return (document.querySelector('.details-button')?.getBoundingClientRect().bottom ?? Infinity) <= composer
      })
    await field.fill('one\ntwo\nthree\nfour\nfive\nsix')
    await isEndSeen()
    // Some browsers make the page lower.
    await page.setViewportSize({ width: 360, height: 400 })
    await isEndSeen()
    expect(await bottom()).toBeLessThanOrEqual(400)
    await page.setViewportSize({ width: 360, height: 740 })
    // Others show less of it.
    await page.evaluate(() => {
      Object.defineProperty(visualViewport, 'height', { value: 400 })
      visualViewport?.dispatchEvent(new Event('resize'))
    })
    await page.waitForFunction(() => document.querySelector('.composer')?.getBoundingClientRect().bottom === 400)
  })
})

test('An engine that dies in mid-answer keeps the text, says what happened and what was charged.', async () => {
  await site.visit({ account: await payer() }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await say(page, scripted([{ text: 'Half of an answer' }, { delayMs: 300 }, { crash: 'exit' }]))
    const step = page.locator('.step')
    await step.locator('.failure').waitFor()
    expect(await step.locator('.answer-text').textContent()).toBe('Half of an answer')
    expect(await step.locator('.failure p').first().textContent()).toMatch(/engine/)
    await step.getByText('The answer broke off. Charged: $0.').waitFor()
    expect((await figures(page)).end).toBe('failed')
    await page.getByRole('button', { name: 'Retry' }).waitFor()
    expect(await page.getByRole('button', { name: 'Redo' }).count()).toBe(0)
  })
})

test('The code drawer’s curl, run as it is with a key, gives what the page showed.', async () => {
  const account = await payer()
  await site.visit({ account }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await say(page, `It's "quoted" $HOME \\n and more words`)
    await figures(page)
    const shown = (await page.locator('.answer-text').textContent()) ?? ''
    const drawer = page.locator('.answer .code-drawer')
    await drawer.locator('summary').click()
    const curl = (await drawer.locator('pre').textContent()) ?? ''
    const run = Bun.spawn(['sh', '-c', curl], {
      env: { PATH: process.env.PATH ?? '', INFERD_API_KEY: account.key },
      stderr: 'ignore',
    })
    const events = (await new Response(run.stdout).text()).matchAll(/^data: (\{.*)$/gm)
    const pieces = [...events].map(([, data = '']) => JSON.parse(data).choices[0]?.delta.content ?? '')
    expect(pieces.join('')).toBe(shown)
    expect(shown).toContain(`It's "quoted" $HOME`)
  })
})

test('Either answer of a comparison that has ended can be had again, from the model that gave it.', async () => {
  await site.visit({ account: await payer() }, async ({ page }) => {
    await openChat(page, 'test/fake')
    const compare = page.getByRole('button', { name: 'Compare' })
    await compare.click()
    await chooseModel(page, 'test/fake', 'Model 2')
    await say(page, 'the same words')
    const second = page.locator('.answer').nth(1)
    await second.getByRole('button', { name: 'Redo' }).waitFor()
    await compare.click()
    const answering = page.waitForResponse('**/v1/chat/completions')
    await second.getByRole('button', { name: 'Redo' }).click()
    expect((await answering).status()).toBe(200)
    await second.locator('.answer-text').getByText('the same words').waitFor()
  })
})

test('A reload keeps a conversation, its drafts and an unfinished answer; a removed message comes back, and so does a file.', async () => {
  await site.visit({ account: await payer() }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await say(page, 'remember these words')
    const shown = await figures(page)
    // The end is announced only to screen readers, and nothing moves.
    await page.getByRole('status').filter({ hasText: 'Answer complete, 3 words.' }).waitFor()
    expect(await page.locator('.announcements').evaluate((element) => element.clientHeight)).toBe(0)
    const field = page.getByRole('textbox', { name: 'Message' })
    // Typed quickly, and at once the page is left.
    const leave = (area: HTMLTextAreaElement) => {
      for (const letter of 'half a sent') {
        area.value += letter
        area.dispatchEvent(new InputEvent('input', { bubbles: true }))
      }
      location.reload()
    }
    await Promise.all([page.waitForEvent('load'), field.evaluate(leave)])
    await page.locator('.answer-text').getByText('remember these words').waitFor()
    expect(await figures(page)).toEqual(shown)
    expect(await field.inputValue()).toBe('half a sent')

    // A message is kept from the moment of sending, before its answer begins.
    const question = scripted([{ waitForCancel: true }])
    await say(page, question)
    await page.getByText(/^Waiting/).waitFor()
    await page.reload()
    await page.locator('.question').getByText(question).waitFor()
    await page.locator('.exchange').last().getByText('Stopped.').waitFor()
    expect(await field.inputValue()).toBe('')

    // The page is left amid an answer, with the id by which the receipt is found.
    await say(page, scripted([{ text: 'Half of it' }, { waitForCancel: true }]))
    await page.locator('.answer-text').getByText('Half of it').waitFor()
    await page.reload()
    await page.locator('.answer-text').getByText('Half of it').waitFor()
    expect(await figures(page)).toMatchObject({ end: 'stopped', request: expect.stringMatching(/^\w{10}/) })
    await page.locator('.question').last().getByRole('button', { name: 'Edit' }).click()
    const edited = page.locator('.question').last().getByRole('textbox')
    await page.locator('.question').last().locator('textarea:focus').waitFor()
    await page.keyboard.press('Escape')
    await edited.waitFor({ state: 'detached' })
    // Whatever takes the pressed button away leaves the focus where the person goes on.
    await page.locator('.question').last().locator('button:focus', { hasText: 'Edit' }).waitFor()
    await page.locator('.question').last().getByRole('button', { name: 'Edit' }).click()
    await edited.fill('other words')
    await page.reload()
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('form.edit textarea')?.value === 'other words',
    )
    await page.locator('form.edit').getByRole('button', { name: 'Cancel' }).click()
    // Every removal can be undone, and survives a reload otherwise.
    await page.locator('.question').first().getByRole('button', { name: 'Delete' }).click()
    expect(await page.locator('.exchange').count()).toBe(2)
    await page.locator('.composer textarea:focus').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.composer textarea:focus').waitFor()
    expect(await page.locator('.exchange').count()).toBe(3)
    await page.locator('.question').last().getByRole('button', { name: 'Delete' }).click()
    // A reload breaks off what is being written.
    await page.waitForFunction(isLastRemoved)
    await page.reload()
    await page.locator('.exchange').nth(1).waitFor()
    expect(await page.locator('.exchange').count()).toBe(2)

    const row = page.locator('.conversations li').first()
    await row.locator('summary').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('button', { name: 'Export' }).click(),
    ])
    const path = await download.path()
    await row.locator('summary').click()
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Nothing is said yet.').waitFor()
    // Settings of a conversation without messages survive a reload too.
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await page.getByLabel('System text').fill('Say it in verse.')
    await page.reload()
    await page.getByRole('button', { name: 'Settings, 1 set' }).waitFor()
    // The panel is as open as it was left.
    expect(await page.getByLabel('System text').inputValue()).toBe('Say it in verse.')
    await page.locator('.conversations input[type=file]').setInputFiles(path)
    await page.locator('.answer-text').getByText('remember these words').waitFor()
    expect(await page.locator('.exchange').count()).toBe(2)

    // An edit in progress belongs to its message. The first message of a new conversation has none.
    await page.locator('.question').first().getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: /^New chat/ }).click()
    await page.getByText('Nothing is said yet.').waitFor()
    await say(page, 'second')
    await figures(page)
    await page.locator('.question').getByText('second').waitFor()
    expect(await page.locator('form.edit').count()).toBe(0)
  })
})

test('The model is chosen by keys: words narrow the list, arrows walk it, Enter chooses, and Escape leaves all as it was.', async () => {
  await site.visit({ account: await payer() }, async (visit) => {
    const { page } = visit
    await openChat(page, 'test/fake')
    const button = page.getByRole('button', { name: /^Model \S/ })
    const field = page.getByRole('combobox', { name: 'Search models' })
    const active = () => page.locator('.model-option.active b').textContent()
    await button.press('Enter')
    const chosen = page.getByRole('dialog').getByRole('option', { selected: true })
    expect(await chosen.textContent()).toMatch(/^test\/fake.*(loaded|loads (at once|in about \d+ s)|installed)/)
    expect(await chosen.textContent()).toMatch(/\$1\.00\sin, \$2\.00\sout per\s1M\stokens/)
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await active()).toBe('test/fake')
    expect(await visit.axe()).toEqual([])
    await field.press('ArrowDown')
    expect(await active()).not.toBe('test/fake')
    await field.press('ArrowUp')
    expect(await active()).toBe('test/fake')
    await field.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)

    await button.press('Enter')
    await page.keyboard.type('pictures starter')
    expect(await page.locator('.model-option').allTextContents()).toEqual([expect.stringContaining('calls tools')])
    await field.press('Enter')
    await page.getByRole('button', { name: 'Model inferd/starter-chat' }).waitFor()
    expect(new URL(page.url()).searchParams.get('model')).toBe('inferd/starter-chat')

    // A model that only the operator could get is found, and cannot be chosen.
    await button.press('Enter')
    await field.fill('qwen3-vl')
    const far = page.getByRole('option', { name: 'qwen3-vl-8b' })
    expect(await far.getAttribute('aria-disabled')).toBe('true')
    await far.getByText('not installed').waitFor()
    await field.press('Enter')
    await far.click({ force: true })
    await field.waitFor()
    await field.fill('no such model')
    await page.getByRole('status').getByText('No model matches.').waitFor()
    expect(await visit.axe()).toEqual([])
  })
})

test('On a phone the models are a sheet that a press beside it closes; the operator is led to a model that is not there.', async () => {
  await site.visit({ account: await site.operator(), size: 'narrow', theme: 'dark' }, async (visit) => {
    const { page } = visit
    await openChat(page, 'test/fake')
    // An empty chat fills the window, and there is nothing to scroll to.
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0)
    const button = page.getByRole('button', { name: /^Model \S/ })
    await button.click()
    const sheet = page.getByRole('dialog', { name: 'Models' })
    await sheet.getByRole('option', { selected: true }).waitFor()
    expect(await visit.axe()).toEqual([])
    expect(await sheet.evaluate((element) => element.getBoundingClientRect().bottom === innerHeight)).toBe(true)
    await page.mouse.click(180, 20)
    await sheet.waitFor({ state: 'detached' })
    await button.click()
    await page.getByRole('combobox', { name: 'Search models' }).fill('qwen3-vl')
    await page.getByRole('option', { name: 'Get it' }).click()
    await page.waitForURL(/\/admin\/models\/.*qwen3-vl/i)
  })
})

test('An empty chat offers what the model can, a picture and a tool included, and a press sends it.', async () => {
  await site.visit({ account: await payer() }, async (visit) => {
    const { page } = visit
    await openChat(page, 'test/fake')
    const examples = page.getByRole('list', { name: 'Examples' }).getByRole('button')
    await examples.getByText('heat pump').waitFor()
    expect(await examples.count()).toBe(4)
    await chooseModel(page, 'inferd/starter-chat')
    await examples.getByText('Who are you?').waitFor()
    expect(await examples.count()).toBe(4)
    expect(await visit.axe()).toEqual([])

    const sent = async (example: string) => {
      const sending = page.waitForRequest('**/v1/chat/completions')
      await examples.getByText(example).click()
      const { messages, tools } = (await sending).postDataJSON()
      await page.locator('.details-button').waitFor()
      return { content: messages[0].content, tools }
    }
    // The picture is drawn by a part that is loaded now. A second press meanwhile sends nothing more.
    const arrived = Promise.withResolvers<void>()
    await page.route('**/*.js', (route) => arrived.promise.then(() => route.continue()))
    const asked = page.waitForRequest('**/*.js')
    await examples.getByText('Which bar').click()
    await asked
    await examples.getByText('Which bar').click()
    const sending = page.waitForRequest('**/v1/chat/completions')
    arrived.resolve()
    const [{ content }] = (await sending).postDataJSON().messages
    expect(content).toHaveLength(2)
    await page.locator('.question img').waitFor()
    await page.locator('.details-button').first().waitFor()
    expect(await page.locator('.exchange').count()).toBe(1)
    expect(await examples.count()).toBe(0)
    await page.locator('.composer textarea:focus').waitFor()
    await page.getByRole('button', { name: /^New chat/ }).click()
    expect(await sent('weather')).toMatchObject({ tools: [{ function: { name: 'get_weather' } }] })
    await page.getByRole('button', { name: 'Settings, 1 set' }).waitFor()
  })
})

/** Returns whether the browser's database knows the latest message as removed. Runs in the page. */
async function isLastRemoved(): Promise<boolean> {
  const names = (await indexedDB.databases()).map(({ name = '' }) => name)
  const opening = indexedDB.open(names.find((name) => name.startsWith('inferd-chats-')) ?? '')
  await new Promise((resolve) => opening.addEventListener('success', resolve))
  const reading = opening.result.transaction('exchanges').objectStore('exchanges').getAll()
  await new Promise((resolve) => reading.addEventListener('success', resolve))
  opening.result.close()
  return reading.result.at(-1)?.isRemoved === true
}
