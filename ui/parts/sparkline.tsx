export interface SparklineProps {
  /** In equal steps, the oldest first; null where nothing is known. */
  readonly values: readonly (number | null)[]
  /** What is drawn, with its newest value and maximum: the text that stands for the picture. */
  readonly label: string
}

const width = 120
const height = 24

/** A line from 0 to the greatest value, without axes. */
export function Sparkline({ values, label }: SparklineProps) {
  return (
    <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
      <title>{label}</title>
      <path class="base" d={`M0,${height} H${width}`} />
      <path d={sparklinePath(values)} />
    </svg>
  )
}

/** Lines between the values that are known, in the picture's own units. */
export function sparklinePath(values: readonly (number | null)[]): string {
  const maximum = Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE)
  const step = width / Math.max(1, values.length - 1)
  return values
    .flatMap((value, index) => {
      if (value === null) return []
      const point = `${round(index * step)},${round(height - (value / maximum) * (height - 1))}`
      const isFirst = (values[index - 1] ?? null) === null
      // A point without neighbours is a dot.
      return [isFirst ? `M${point}h0.5` : `L${point}`]
    })
    .join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
