import { Figures } from '../../parts/figures.tsx'
import { Money } from '../../parts/money.tsx'
import { moneyText } from '../../parts/money-text.ts'
import { Table } from '../../parts/table.tsx'
import { texts } from '../../texts/texts.ts'
import { countText, nameOf, type Report } from './measures.ts'

/** The sums, with each row's share of the cost, and their total as the server has it. */
export function UsageTable({ report: { rows, total }, group }: { readonly report: Report; readonly group: string }) {
  const { columns: titles, caption, total: totalWord } = texts.usage
  const share = (usd: string) => (Number(total.costUsd) === 0 ? 0 : (Number(usd) / Number(total.costUsd)) * 100)
  return (
    <>
      <section class="card" aria-label={totalWord}>
        <Figures
          items={[
            [totalWord, <b key="cost">{moneyText(total.costUsd).exact ?? moneyText(total.costUsd).text}</b>],
            [titles.charged, <Money key="charged" usd={total.chargedUsd} />],
            [titles.requests, countText(total.requests)],
            [titles.prompt, countText(total.promptTokens)],
            [titles.completion, countText(total.completionTokens)],
            [titles.audio, minutes(total.audioMs)],
          ]}
        />
      </section>
      <Table
        caption={caption}
        rows={rows}
        rowKey={({ groups }) => groups.map(({ id }) => id).join(' ')}
        columns={[
          { title: group, cell: (row) => <b>{nameOf(row)}</b> },
          { title: titles.requests, isNumber: true, cell: ({ requests }) => countText(requests) },
          { title: titles.prompt, isNumber: true, cell: ({ promptTokens }) => countText(promptTokens) },
          { title: titles.cached, isNumber: true, cell: ({ cachedTokens }) => countText(cachedTokens) },
          { title: titles.completion, isNumber: true, cell: ({ completionTokens }) => countText(completionTokens) },
          { title: titles.characters, isNumber: true, cell: ({ characters }) => countText(characters) },
          { title: titles.audio, isNumber: true, cell: ({ audioMs }) => minutes(audioMs) },
          { title: titles.charged, isNumber: true, cell: ({ chargedUsd }) => <Money usd={chargedUsd} /> },
          { title: titles.cost, isNumber: true, cell: ({ costUsd }) => <Money usd={costUsd} /> },
          { title: titles.share, isNumber: true, cell: ({ costUsd }) => `${share(costUsd).toFixed(1)} %` },
        ]}
      />
    </>
  )
}

function minutes(audioMs: number): string {
  return audioMs === 0 ? '0' : (audioMs / 60_000).toFixed(1)
}
