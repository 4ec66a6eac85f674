import type { Page } from 'playwright-core'
import { makeAccount } from '../../../ui/testing/accounts.ts'
import { openChat } from '../../../ui/testing/chat.ts'
import { launchChromium } from '../../../ui/testing/chromium.ts'
import { addFakeModel } from '../../../ui/testing/fake-models.ts'
import { Inferd } from '../../../ui/testing/inferd.ts'
import { Visit } from '../../../ui/testing/visit.ts'

/** Measures the chat page of an account with money, opened in Chromium with a model of the fake engine. */
export async function onChatPage(measure: (page: Page) => Promise<void>): Promise<void> {
  await using inferd = new Inferd()
  addFakeModel(inferd, 'fake')
  const [browser] = await Promise.all([launchChromium(), inferd.start()])
  try {
    const account = await makeAccount(inferd, { balanceUsd: '5' })
    await Visit.run(browser, inferd, { account }, async ({ page }) => {
      await openChat(page, 'test/fake')
      await measure(page)
    })
  } finally {
    await browser.close()
  }
}
