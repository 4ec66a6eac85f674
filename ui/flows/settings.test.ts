import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAccount } from '../testing/accounts.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()

test('Settings show source and value in force for a flag, a variable and a file line; a secret is "(set)".', async () => {
  const { inferd } = site
  const account = await site.operator()
  await inferd.stop()
  const file = join(inferd.dataDir, 'config.toml')
  writeFileSync(file, 'queue_wait = "7m"\nbackup_keep = 5\nlog_level = "error"\nallowed_hosts = ["box.lan"]\n')
  const mail = { INFERD_SMTP_HOST: '127.0.0.1', INFERD_MAIL_FROM: 'box@example.org', INFERD_SMTP_USER: 'ada' }
  const secret = { INFERD_SMTP_PASSWORD: 'hunter2hunter2' }
  await inferd.start(['--backup-keep', '3'], { ...mail, ...secret, INFERD_LOG_LEVEL: 'warn', INFERD_BACKUP_KEEP: '4' })
  await site.visit({ account }, async ({ page }) => {
    const answers: string[] = []
    page.on('response', async (response) => {
      if (response.url().endsWith('/settings-list')) answers.push(await response.text())
    })
    await page.goto('/admin/system?tab=settings')
    await page.getByRole('table', { name: 'Accounts and mail' }).waitFor()
    await page.getByText(`Changes are written to ${file} and take effect at the next start.`).waitFor()
    const cells = async (key: string) => {
      const row = page.getByRole('row', { name: new RegExp(`^${key} `) })
      const [, value, source, standard, meaning] = await row.getByRole('cell').allTextContents()
      return { value, source, standard, meaning }
    }
    expect(await cells('backup_keep')).toEqual({
      ...{ value: '3', source: '--backup-keep', standard: '7' },
      meaning: 'How many backups of the server stay',
    })
    expect(await cells('log_level')).toMatchObject({ value: 'warn', source: 'INFERD_LOG_LEVEL', standard: 'info' })
    expect(await cells('queue_wait')).toMatchObject({ value: '7m', source: file, standard: '5m' })
    expect(await cells('allowed_hosts')).toMatchObject({ value: 'box.lan', source: file })
    expect(await cells('smtp_password')).toMatchObject({ value: '(set)', source: 'INFERD_SMTP_PASSWORD' })
    expect(await cells('parallel')).toMatchObject({ value: '8', source: 'default', standard: '8' })

    await page.getByRole('button', { name: 'Set on this server' }).click()
    await page.getByRole('row', { name: /^parallel / }).waitFor({ state: 'detached' })
    expect(await page.getByRole('row').locator('b').allTextContents()).toContain('smtp_password')
    expect(await page.content()).not.toContain('hunter2')
    expect(answers.join()).not.toContain('hunter2')

    await page.getByLabel('Search in the settings').fill('smtp_p')
    await page.getByRole('row', { name: /^backup_keep / }).waitFor({ state: 'detached' })
    expect(await page.getByRole('row').locator('b').allTextContents()).toEqual(['smtp_password'])
  })
})

test('A setting is changed and set back in the file; what the next start would refuse is told at its field.', async () => {
  const { inferd } = site
  const account = await site.operator()
  const file = join(inferd.dataDir, 'config.toml')
  await inferd.stop()
  writeFileSync(file, '# ours\nqueue_wait = "7m" # patience\n')
  await inferd.start()
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/admin/system?tab=settings')
    await page.getByRole('button', { name: 'Change queue_wait' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change queue_wait' })
    await dialog.getByLabel('queue_wait').fill('soon')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('must be a duration such as 90s, 30m or 2h').waitFor()
    await dialog.getByLabel('queue_wait').fill('10m')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('→ 10m at the next start').waitFor()
    await page.getByText('Restart inferd to apply the change: queue_wait.').waitFor()
    expect(readFileSync(file, 'utf8')).toBe('# ours\nqueue_wait = "10m" # patience\n')
    await page.getByRole('button', { name: 'Change queue_wait' }).click()
    await dialog.getByRole('button', { name: 'Back to the default' }).click()
    await page.getByText('→ 5m at the next start').waitFor()
    expect(readFileSync(file, 'utf8')).toBe('# ours\n')

    await page.getByRole('button', { name: 'Change smtp_host' }).click()
    const mail = page.getByRole('dialog', { name: 'Change the mail server' })
    await mail.getByLabel('smtp_host').fill('mail.lan')
    await mail.getByLabel('Your password').fill('wrong')
    await mail.getByRole('button', { name: 'Save' }).click()
    await mail.getByText('This is not the current password.').waitFor()
    await mail.getByLabel('Your password').fill('correct horse battery')
    await mail.getByRole('button', { name: 'Save' }).click()
    await mail.getByText('needs --mail-from').waitFor()
    await mail.getByLabel('mail_from').fill('box@example.org')
    await mail.getByLabel('smtp_security').selectOption('tls')
    await mail.getByRole('button', { name: 'Save' }).click()
    await mail.waitFor({ state: 'detached' })
    expect(readFileSync(file, 'utf8')).toBe(
      '# ours\nsmtp_host = "mail.lan"\nsmtp_security = "tls"\nmail_from = "box@example.org"\n',
    )
    await page.goto('/admin/system?tab=audit')
    await page.getByText('settings.unset').first().waitFor()
  })
})

test('Prices are changed for a model, with what a typical chat comes to.', async () => {
  const account = await site.operator()
  await site.visit({ account, size: 'narrow' }, async ({ page }) => {
    await page.goto('/admin/system?tab=prices')
    await page.getByRole('button', { name: 'Change inferd/starter-chat' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change inferd/starter-chat' })
    await dialog.getByLabel('Input', { exact: true }).fill('1')
    await dialog.getByLabel('Cached input').fill('2')
    await dialog.getByLabel('Output').fill('2')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('must not be above input').waitFor()
    await dialog.getByLabel('Cached input').fill('0.1')
    await dialog.getByText('1,000 chats of 1,000 tokens in and 300 out would cost $1.60').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('$1.60').waitFor()
    const file = join(site.inferd.dataDir, 'config.toml')
    expect(readFileSync(file, 'utf8')).toContain(
      '[prices."inferd/starter-chat"]\ninput = 1\ncached_input = 0.1\noutput = 2\n',
    )
  })
})

test('A model gets settings of its own, which a load puts in force without a restart.', async () => {
  const { inferd } = site
  await site.visit({ account: await site.operator() }, async (visit) => {
    const { page } = visit
    await inferd.run('models', 'load', 'inferd/starter-chat')
    await page.goto('/admin/system?tab=settings&model=inferd%2Fstarter-chat')
    const dialog = page.getByRole('dialog', { name: 'Change inferd/starter-chat' })
    await dialog.getByLabel('context_tokens').fill('1')
    expect(await visit.axe()).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('must be a whole number from 256').waitFor()
    await dialog.getByLabel('context_tokens').fill('4096')
    await dialog.getByLabel('kv_type').selectOption('q8_0')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Load it again now' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /^inferd\/starter-chat context_tokens = 4096 ?kv_type = q8_0/ }).waitFor()
    expect(readFileSync(join(inferd.dataDir, 'config.toml'), 'utf8')).toContain(
      '[models."inferd/starter-chat".llama]\ncontext_tokens = 4096\nkv_type = "q8_0"\n',
    )
  })
})

test('A backup is made, downloaded, uploaded, and restored by the next start, which the page asks for.', async () => {
  const { inferd } = site
  await inferd.stop()
  await inferd.start(['--restart-status', '75'])
  await site.visit({ account: await site.operator() }, async (visit) => {
    const { page } = visit
    await page.goto('/admin/system?tab=backup')
    await page.getByText('There are no backups yet.').waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    const row = page.getByRole('row', { name: /^inferd-.*\.tar / })
    await row.waitFor()
    await row.getByRole('button', { name: 'Download' }).click()
    const asking = page.getByRole('dialog', { name: /^Download / })
    await asking.getByLabel('Your password').fill('correct horse battery')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      asking.getByRole('button', { name: 'Download' }).click(),
    ])
    // The session alone is not enough.
    const address = `${new URL(download.url()).pathname}`
    expect((await page.request.get(address)).status()).toBe(401)
    const name = download.suggestedFilename()
    expect(readFileSync(await download.path())).toEqual(readFileSync(join(site.inferd.dataDir, 'backups', name)))
    await row.getByRole('button', { name: 'Restore …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore this backup' })
    await dialog.getByText('1', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    // An account that the backup does not have.
    await makeAccount(inferd)
    const picker = page.getByLabel('Upload a backup …')
    await picker.setInputFiles({ name: 'b.tar', mimeType: 'application/x-tar', buffer: Buffer.from('no backup') })
    await page.getByText('This backup cannot be restored').waitFor()
    await picker.setInputFiles(await download.path())
    await dialog.getByText(`uploaded-${name}`).waitFor()
    expect(await visit.axe()).toEqual([])
    await dialog.getByLabel('Your password').fill('wrong')
    await dialog.getByRole('button', { name: 'Restore at the next start' }).click()
    await dialog.getByText('This is not the current password.').waitFor()
    await dialog.getByLabel('Your password').fill('correct horse battery')
    await dialog.getByRole('button', { name: 'Restore at the next start' }).click()
    await page.getByRole('heading', { name: 'A restore waits for the next start' }).waitFor()
    expect(await visit.axe()).toEqual([])
    await page.getByRole('button', { name: 'Restart inferd' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restart inferd' }).click()
    expect(await inferd.ended()).toBe(75)
    await inferd.start(['--restart-status', '75'])
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  })
  await site.visit({ account: await site.operator(), size: 'narrow', theme: 'dark' }, async ({ page }) => {
    await page.goto('/admin/system?tab=audit')
    for (const action of ['backup.restore', 'server.restart', 'backup.restore.wait', 'backup.upload'])
      await page.getByText(action, { exact: true }).first().waitFor()
  })
  expect(await inferd.run('users', 'list')).not.toContain('@example.org')
})

test('The health page shows which libraries compute; "Probe again" is done and noted in the audit log.', async () => {
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/system')
    const table = page.getByRole('table', { name: 'Backends' })
    await table.getByRole('row', { name: /^CPU ● computes chat models/ }).waitFor()
    await page.getByRole('button', { name: 'Probe again' }).click()
    await page.getByText('All backends were probed.').waitFor()
    await page.goto('/admin/system?tab=audit')
    await page.getByText('gpu.probe').first().waitFor()
  })
})
