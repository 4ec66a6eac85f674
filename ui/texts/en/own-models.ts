export const ownModels = {
  title: 'Models & prices',
  intro: 'What this box serves, and what it costs.',
  noneHere: 'There are no models on this box.',
  absent: (count: number) => `${count} more ${count === 1 ? 'is' : 'are'} known, and not installed`,
  columns: { model: 'Model', can: 'Can', context: 'Context', price: 'Price', status: 'State', actions: 'Actions' },
  aliases: (names: string) => `also ${names}`,
  id: 'Model id',
  tryIt: 'Try',
  tokens: (count: string) => `${count} tokens`,
  dimensions: (count: number) => `${count} dimensions`,
  voices: (count: number) => `${count} ${count === 1 ? 'voice' : 'voices'}`,
  languages: (count: number) => `${count} ${count === 1 ? 'language' : 'languages'}`,
}
