import { linkTable } from '../../src/testing/link-table.ts'
import { markdownTable } from './markdown.ts'

/**
 * Returns docs/reference/links-and-keys.md: the table of src/testing/link-table.ts, which a test compares with the
 * operations.
 */
export function linksPage(): string {
  const rows = linkTable.map(({ asks, whom, gets }) => [asks, whom, ...gets])
  return `# Who gets which link and key

Who holds a link or a key of an account can be that account. The owner's account is the one of the first start, without an address.

${markdownTable(['Who asks', 'For whom', 'Setup link', 'Sign-in link', 'Link of a waiting mail', 'Key'], rows)}
`
}
