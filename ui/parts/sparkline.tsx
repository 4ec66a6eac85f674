interface SparklineProps {
  /** Values in equal steps, the oldest first. Null marks unknown ones. */
  readonly values: readonly (number | null)[]
  /** Text alternative: the subject, its newest value and its maximum. */
  readonly label: string
}

const width = 120
const height = 24

/** Draws a line from 0 to the greatest value, without axes. */
export function Sparkline({ values, label }: SparklineProps) {
  return (
    <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
      <title>{label}</title>
      <path class="base" d={`M0,${height} H${width}`} />
      <path d={sparklinePath(values)} />
    </svg>
  )
}

/** Returns an SVG path through the known values in view-box units. */
function sparklinePath(values: readonly (number | null)[]): string {
  const maximum = Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE)
  const step = width / Math.max(1, values.length - 1)
  return values
    .flatMap((value, index) => {
      if (value === null) return []
      const point = `${round(index * step)},${round(height - (value / maximum) * (height - 1))}`
      const isFirst = (values[index - 1] ?? null) === null
      // A point without neighbours becomes a dot.
      return [isFirst ? `M${point}h0.5` : `L${point}`]
    })
    .join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
