import { ResultTitle } from '../../parts/play/result-title.tsx'
import { texts } from '../../texts/texts.ts'
import { extremes, similarities } from './similarity.ts'

interface MatrixProps {
  readonly inputs: readonly string[]
  readonly vectors: readonly (readonly number[])[]
}

/** Shows the similarity of all pairs of texts as a table, darker for more similar ones. */
export function Matrix({ inputs, vectors }: MatrixProps) {
  const matrix = similarities(vectors)
  const found = extremes(matrix)
  return (
    <section class="stack">
      <ResultTitle>{texts.search.matrix}</ResultTitle>
      {found !== undefined && (
        <p>
          {texts.search.closest(found.closest.row + 1, found.closest.column + 1, shown(found.closest.similarity))}{' '}
          {texts.search.farthest(found.farthest.row + 1, found.farthest.column + 1, shown(found.farthest.similarity))}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <section class="matrix-scroll" tabIndex={0} aria-label={texts.search.matrix}>
        <table class="matrix">
          <caption class="unseen">{texts.search.matrixCaption(inputs.length)}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.search.text}</th>
              {inputs.map((input, column) => (
                <th key={column} scope="col" title={input}>
                  {column + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.map((values, row) => (
              <tr key={row}>
                <th scope="row" title={inputs[row]}>
                  {row + 1} <span class="matrix-text">{inputs[row]}</span>
                </th>
                {values.map((value, column) => (
                  <td
                    key={column}
                    style={{ '--shade': Math.max(0, value).toFixed(3) }}
                    title={texts.search.cell(row + 1, column + 1, value.toFixed(6))}
                  >
                    {shown(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}

/** Returns two decimals without "-0.00". */
function shown(value: number): string {
  return value.toFixed(2).replace(/^-(0\.00)$/, '$1')
}
