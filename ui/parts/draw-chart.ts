/** Charts by uPlot, which is loaded with the first chart. */
import UPlot from 'uplot'
import { numberText } from './number-text.ts'
import { clockTime, minuteTime } from './time-text.ts'

interface Drawn {
  /** Seconds UTC. */
  readonly times: readonly number[]
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[]
  readonly unit: string
}

const height = 200
/** Distances between lines of the y axis, whose figures are whole counts, tokens or milliseconds */
const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat()
const colours = ['--series-1', '--series-3', '--series-2', '--series-5']
const dashes = [[], [6, 3], [2, 3], [8, 2, 2, 2]]

/** Draws a chart into `place` and adapts it to the width and the theme, until the returned function removes it. */
export function drawChart(place: HTMLElement, { times, series, unit }: Drawn): () => void {
  let chart = draw()
  const redraw = () => {
    chart.destroy()
    chart = draw()
  }
  // Resized in the next frame, because changing a size in a resize callback is an error.
  const size = new ResizeObserver(() =>
    requestAnimationFrame(() => {
      const width = widthOf(place)
      if (place.isConnected && width !== chart.width) chart.setSize({ width, height })
    }),
  )
  size.observe(place)
  const theme = new MutationObserver(redraw)
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', redraw)
  return () => {
    size.disconnect()
    theme.disconnect()
    system.removeEventListener('change', redraw)
    chart.destroy()
  }

  function draw(): UPlot {
    const axis = { stroke: colour('--muted'), grid: { stroke: colour('--hairline'), width: 1 }, ticks: { show: false } }
    return new UPlot(
      {
        ...{ width: widthOf(place), height, padding: [12, 28, 0, 0], cursor: { drag: { x: false, y: false } } },
        // Without a pointer there are no values to show, so the legend only names the lines.
        hooks: { setLegend: [({ cursor }) => place.classList.toggle('pointed', typeof cursor.idx === 'number')] },
        scales: {
          x: { range: () => shownRange(times) },
          y: { range: (_, _least, greatest) => [0, Math.max(1, (greatest ?? 0) * 1.1)] },
        },
        axes: [
          { ...axis, space: timeLabelPixels, values: (_, seconds) => seconds.map((each) => timeText(each, times)) },
          { ...axis, size: 56, incrs: wholeSteps, values: (_, values) => values.map(numberText) },
        ],
        series: [
          { value: (_, seconds) => (seconds === null ? '–' : timeText(seconds, times)) },
          ...series.map(({ label, values }, index) => ({
            ...{ label, stroke: colour(colours[index] ?? '--series-1'), width: 1.5 },
            points: { show: false, size: 5, filter: () => lonePoints(values) },
            dash: dashes[index] ?? [],
            value: (_: UPlot, value: number | null) => (value === null ? '–' : `${numberText(value)} ${unit}`),
          })),
        ],
      },
      [times, ...series.map(({ values }) => values)] as UPlot.AlignedData,
      place,
    )
  }

  /** Returns a token as a colour for the canvas, which lacks light-dark(). */
  function colour(token: string): string {
    const probe = document.createElement('span')
    probe.style.color = `var(${token})`
    place.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}

/** Returns the indexes of values without neighbours, which no line shows. */
export function lonePoints(values: readonly (number | null)[]): number[] {
  return [...values.keys()].filter(
    (index) =>
      values[index] !== null && [values[index - 1], values[index + 1]].every((next) => typeof next !== 'number'),
  )
}

/** Width of a time label such as "06:53:10 pm", with a margin */
const timeLabelPixels = 96

/** Returns a range of at least ten minutes, so that a first value has a time beside it. */
function shownRange(times: readonly number[]): [number, number] {
  const last = times.at(-1) ?? Date.now() / 1_000
  return [Math.min(times[0] ?? last, last - 600), last]
}

const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' })

/** Returns a time of the x axis, as precise as the whole range needs. */
function timeText(seconds: number, times: readonly number[]): string {
  const rangeSeconds = (times.at(-1) ?? 0) - (times[0] ?? 0)
  if (rangeSeconds > 2 * 86_400) return day.format(seconds * 1_000)
  return rangeSeconds > 3_600 ? minuteTime(seconds * 1_000) : clockTime(seconds * 1_000)
}

function widthOf(place: HTMLElement): number {
  const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(place)
  return Math.max(120, place.clientWidth - Number.parseFloat(paddingInlineStart) - Number.parseFloat(paddingInlineEnd))
}
