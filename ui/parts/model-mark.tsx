/** Mark and address that a model has on all pages. */
import { seriesOf, textureOf } from './series.ts'

/** Returns the model's id. An engine's id may have a suffix after a colon, which models' ids never contain. */
function modelOf(engineId: string): string {
  return engineId.split(':')[0] ?? ''
}

/** Returns the address of a model's page for operators. */
export function modelAddress(engineId: string): string {
  return `/admin/models/${modelOf(engineId).split('/').map(encodeURIComponent).join('/')}`
}

/** Returns the classes of the model's colour and texture. */
export function markOf(engineId: string): string {
  const id = modelOf(engineId)
  return `series-${seriesOf(id)} texture-${textureOf(id)}`
}

interface ModelMarkProps {
  readonly id: string
  /** True for memory that is only estimated: an outline. */
  readonly isEstimated?: boolean
}

/** Shows a small square in the model's colour and texture. */
export function ModelMark({ id, isEstimated = false }: ModelMarkProps) {
  return <span class={`key ${markOf(id)}${isEstimated ? ' estimated' : ''}`} aria-hidden="true" />
}

/** Shows the mark and the id, which leads to the model's page for operators. */
export function MarkedName({ id }: { readonly id: string }) {
  return (
    <span class="marked-name">
      <ModelMark id={id} />
      <a class="breaks" href={modelAddress(id)}>
        {id}
      </a>
    </span>
  )
}
