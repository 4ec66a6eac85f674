/** Returns the lines of a Markdown table, followed by an empty line. Columns after the first `labels` hold numbers. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { labels = 1 }: { readonly labels?: number } = {},
): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column < labels ? '---' : '---:'))), ...rows.map(line), '']
}
