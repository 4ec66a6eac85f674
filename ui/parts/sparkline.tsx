export interface SparklineProps {
  /** The oldest first. */
  readonly values: readonly number[]
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
      <polyline points={sparklinePoints(values)} />
    </svg>
  )
}

/** Points of the line in the picture's own units. */
export function sparklinePoints(values: readonly number[]): string {
  const maximum = Math.max(...values, Number.MIN_VALUE)
  const step = width / Math.max(1, values.length - 1)
  return values.map((value, index) => `${round(index * step)},${round(height - (value / maximum) * height)}`).join(' ')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
