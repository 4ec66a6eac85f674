import { render } from 'preact'
import { loadDocument } from '../api/connection.ts'
import type { Space } from '../pages/rail-entries.ts'
import { drawSafely } from '../parts/safe-text.ts'
import { followLinks, loadDocumentsBy } from '../router/router.ts'
import { applyTheme, theme } from '../theme/theme.ts'
import { Shell } from './shell.tsx'

/** Shows the pages of a space. */
export function start(space: Space): void {
  drawSafely()
  applyTheme(theme.value)
  loadDocumentsBy((url) => void loadDocument(url))
  followLinks()
  const root = document.getElementById('app')
  if (root === null) throw new Error('the document has no place for the pages: this is a bug')
  render(<Shell space={space} />, root)
}
