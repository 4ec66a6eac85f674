import { answerBody } from './answer-body.ts'
import type { Exchange } from './services.ts'

interface CsvList<Row> {
  readonly fileName: string
  /** Lines above and below the rows. */
  readonly head: string
  readonly foot?: string
  /** Returns up to `limit` rows after the one with the id `before`, or the first ones. */
  page(page: { readonly limit: number; readonly before: string | undefined }): Promise<readonly Row[]>
  lines(rows: readonly Row[]): string
}

const pageRows = 1_000

/**
 * Sends a whole list as CSV, page by page as the client takes it: it may have a million rows. Rejects if the first page
 * does.
 */
export async function csvAnswer<Row extends { readonly id: number | string }>(
  exchange: Exchange,
  { fileName, head, foot = '', page, lines }: CsvList<Row>,
): Promise<Response> {
  let rows = await page({ limit: pageRows, before: undefined })
  const body = answerBody(exchange, {
    async write({ send }) {
      await send([head + lines(rows)])
      while (rows.length === pageRows && !exchange.request.signal.aborted) {
        rows = await page({ limit: pageRows, before: String(rows.at(-1)?.id) })
        await send([lines(rows)])
      }
      await send([foot])
    },
    end: async () => undefined,
  })
  return new Response(body, { headers: csvHead(fileName) })
}

function csvHead(fileName: string): Record<string, string> {
  const disposition = `attachment; filename="${fileName}"`
  return { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition }
}
