import { ownerOf } from '../core/owner.ts'
import type { Payment } from '../inference/run-work.ts'
import { freeTill } from './free-till.ts'

/** Returns the payment of a test's request. */
export function testPayment(payment: Partial<Payment> & { readonly account?: Account } = {}): Payment {
  const { account = { accountId: 'acc_1', keyId: 'key_1' }, ...rest } = payment
  return {
    request: { requestId: 'req_1', endpoint: 'chat/completions', ...account, owner: ownerOf(account) },
    till: freeTill,
    signal: new AbortController().signal,
    isStopping: () => false,
    clock: () => 0,
    arrivedAtMs: 0,
    wasLoaded: true,
    onUnsettled: () => undefined,
    sliceTokens: 256,
    billingUrl: 'http://box/billing',
    ...rest,
  }
}

interface Account {
  readonly accountId: string
  readonly keyId: string
}
