import type { Config } from '../config/config.ts'
import { newId } from '../core/ids.ts'
import type { Stores } from '../operations/stores.ts'
import { Webhooks } from '../shipping/webhooks/webhooks.ts'
import type { Log } from '../telemetry/log.ts'
import { userAgent } from './configured.ts'
import { shipCertificates } from './ship-records.ts'

interface WebhookParts {
  readonly config: Config
  readonly stores: Stores
  readonly log: Log
}

/** Creates the webhooks of the settings file. `closing` ends what they send. */
export function openWebhooks({ config, stores, log }: WebhookParts, closing: AsyncDisposableStack): Webhooks {
  const webhooks = new Webhooks({
    webhooks: config.webhooks,
    deliveries: stores.webhookDeliveries,
    commits: stores.commits,
    post: { userAgent, ca: shipCertificates(config) },
    onFailure: (webhook, reason) => log.warn({ webhook, reason }, 'webhook not taken'),
    newId,
    clock: Date.now,
  })
  closing.defer(() => webhooks.stop())
  stores.events.onEvent((event) => webhooks.add(event))
  return webhooks
}
