import { useState } from 'preact/hooks'
import { perform, useResult } from '../../api/operation.ts'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ExactMoney } from '../../parts/money.tsx'
import { texts } from '../../texts/system-texts.ts'
import { type Priced, type PriceName, priceNames, usdOf } from './price-names.ts'

interface PriceDialogProps {
  readonly row: Priced
  readonly version: string
  readonly onClose: () => void
  readonly onChanged: () => Promise<void>
}

/** Changes a model's prices in the settings file, and shows what a typical request would cost. */
export function PriceDialog({ row, version, onClose, onChanged }: PriceDialogProps) {
  const words = texts.system
  const [typed, setTyped] = useState<Readonly<Partial<Record<PriceName, string>>>>(() => texted(row))
  const outlook = useResult('prices-try', { model: row.model, ...typed })
  const isByToken = row.type === 'chat' || row.type === 'vision'
  const names = isByToken ? (['input', 'cached_input', 'output'] as const) : (['price'] as const)
  const hint = (name: PriceName) => {
    const own = usdOf(row.own, name)
    return own === undefined ? words.units[row.unit] : words.ownPrice(own, words.units[row.unit])
  }
  return (
    <FormDialog
      title={words.changeTitle([row.model])}
      text={words.priceDialogText}
      button={words.save}
      onClose={onClose}
      onSend={async (field) => {
        const fields = Object.fromEntries(
          names.map((name) => [name, field(name) === usdOf(row.own, name) ? '' : field(name)]),
        )
        await perform('prices-set', { model: row.model, version, ...fields })
        await onChanged()
      }}
    >
      {names.map((name) => (
        <Field
          key={name}
          label={words.priceNames[name]}
          name={name}
          inputMode="decimal"
          defaultValue={typed[name] ?? ''}
          onInput={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value.trim() })}
          hint={hint(name)}
        />
      ))}
      {outlook.failure === undefined && outlook.data?.thousandUsd != null && (
        <p>
          {words.wouldCost[row.type]} <ExactMoney usd={outlook.data.thousandUsd} />
          {row.inForce !== null && (
            <span class="muted">
              {words.costsNow} <ExactMoney usd={row.inForce.thousandUsd} />
            </span>
          )}
        </p>
      )}
    </FormDialog>
  )
}

/** Returns the prices that the file has, or the model's own, as the fields begin with them. */
function texted(row: Priced): Readonly<Partial<Record<PriceName, string>>> {
  return Object.fromEntries(
    priceNames.flatMap((name) => {
      const usd = usdOf(row.next, name)
      return usd === undefined ? [] : [[name, usd]]
    }),
  )
}
