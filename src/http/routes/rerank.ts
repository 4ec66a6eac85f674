import { rerankDialect } from '../../wire/rerank/dialect.ts'
import { encodeRoute } from '../encode-route.ts'

/** POST /rerank. */
export const rerank = encodeRoute(rerankDialect)
