import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const answers: string[] = []
    page.on('response', async (response) => {
      if (response.url().endsWith('/settings-list')) answers.push(await response.text())
    })
    await page.goto('/admin/system?tab=settings')
    const table = (name: string) => page.getByRole('table', { name })
    await table('Set on this server').waitFor()
    await page.getByText('a change takes effect at the next start').waitFor()
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
    expect(await cells('allowed_hosts')).toMatchObject({ value: '["box.lan"]', source: file })
    expect(await cells('smtp_password')).toMatchObject({ value: '(set)', source: 'INFERD_SMTP_PASSWORD' })
    expect(await cells('parallel')).toMatchObject({ value: '8', source: 'default', standard: '8' })

    const names = await table('Set on this server').getByRole('row').locator('b').allTextContents()
    expect(names).toContain('smtp_password')
    expect(names).not.toContain('parallel')
    expect(
      await table('As they come')
        .getByRole('row', { name: /^backup_keep / })
        .count(),
    ).toBe(0)
    const lineOf = (key: string) => page.getByRole('button', { name: `Copy: the line of ${key}`, exact: true })
    await lineOf('allowed_hosts').click()
    await page.getByText('Copied', { exact: true }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('allowed_hosts = ["box.lan"]')
    expect(await lineOf('smtp_password').count()).toBe(0)
    expect(await page.content()).not.toContain('hunter2')
    expect(answers.join()).not.toContain('hunter2')

    await page.getByLabel('Search in the settings').fill('smtp_p')
    await page.getByText('No setting fits.').waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /^backup_keep / }).waitFor({ state: 'detached' })
    expect(await page.getByRole('row').locator('b').allTextContents()).toEqual(['smtp_password', 'smtp_port'])
  })
})

test('The health page shows which libraries compute; "Probe again" is done and noted in the audit log.', async () => {
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/system')
    const table = page.getByRole('table', { name: 'Backends' })
    await table.getByRole('row', { name: /^● computes CPU chat models/ }).waitFor()
    await page.getByRole('button', { name: 'Probe again' }).click()
    await page.getByText('All backends were probed.').waitFor()
    await page.goto('/admin/system?tab=audit')
    await page.getByText('gpu.probe').first().waitFor()
  })
})
