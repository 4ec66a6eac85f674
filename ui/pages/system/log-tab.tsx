import { useEffect, useState } from 'preact/hooks'
import type { LogLineOnPage } from '../../../src/wire/pages/live.ts'
import { openEventStream, type StreamState } from '../../api/event-stream.ts'
import { Empty } from '../../parts/loaded.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Select } from '../../parts/select.tsx'
import { clockTime } from '../../parts/time-text.ts'
import { texts } from '../../texts/system-texts.ts'

const maximumLines = 500
const levelOrder = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

type Level = keyof typeof texts.system.levels

/** Shows the latest lines of the log, live while the tab is open. */
export function LogTab() {
  const [isPaused, setIsPaused] = useState(false)
  const [level, setLevel] = useState<Level>('trace')
  const [search, setSearch] = useState('')
  const { lines, state } = useLog(isPaused)
  const words = texts.system
  const isFiltered = search !== '' || level !== 'trace'
  const showAll = () => {
    setSearch('')
    setLevel('trace')
  }
  const shown = lines.filter(
    (line) =>
      levelOrder.indexOf(line.level) >= levelOrder.indexOf(level) &&
      line.text.toLowerCase().includes(search.toLowerCase()),
  )
  return (
    <div class="stack">
      <div class="toolbar log-tools">
        <SearchField label={words.searchLog} value={search} onSearch={setSearch} />
        <Select label={words.logLevel} value={level} choices={words.levels} onChange={setLevel} />
        <button type="button" onClick={() => setIsPaused(!isPaused)}>
          {isPaused ? words.goOn : words.pause}
        </button>
        {!isPaused && <span class="muted">{words.live[state]}</span>}
      </div>
      {shown.length === 0 ? (
        <Empty text={isFiltered ? words.noLines : words.noLinesYet}>
          {isFiltered && (
            <button type="button" onClick={showAll}>
              {texts.shared.showAll}
            </button>
          )}
        </Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
        <section class="log" aria-label={words.log} tabIndex={0}>
          {shown.toReversed().map((line, index) => (
            <p key={shown.length - index} class={`log-line ${line.level}`}>
              <time dateTime={line.at}>{clockTime(Date.parse(line.at))}</time> <b>{line.level}</b> {line.text}
            </p>
          ))}
        </section>
      )}
    </div>
  )
}

function useLog(isPaused: boolean): { readonly lines: readonly LogLineOnPage[]; readonly state: StreamState } {
  const [lines, setLines] = useState<readonly LogLineOnPage[]>([])
  const [state, setState] = useState<StreamState>('connecting')
  useEffect(() => {
    if (isPaused) return
    // A reopened stream begins with lines that are shown already, so its first lines replace them.
    let isSnapshot = true
    return openEventStream({
      path: '/admin/api/events?topics=log',
      onState: (next) => {
        if (next !== 'live') isSnapshot = true
        setState(next)
      },
      onEvent: ({ event, data }) => {
        if (event !== 'log') return
        const line = JSON.parse(data) as LogLineOnPage
        const isFirst = isSnapshot
        isSnapshot = false
        setLines((before) => [...(isFirst ? [] : before), line].slice(-maximumLines))
      },
    })
  }, [isPaused])
  return { lines, state }
}
