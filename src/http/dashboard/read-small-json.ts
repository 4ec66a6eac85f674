import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'

const largestBodyBytes = 16 * 1024

/** The body of a dashboard request, which anybody may send. Throws ApiError as `readJson` does. */
export function readSmallJson({ request, services }: Exchange): Promise<unknown> {
  return readJson(request, Math.min(services.config.bodyLimitBytes, largestBodyBytes))
}
