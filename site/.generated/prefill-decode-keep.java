@Override
public BlockRelease requestFinished(
    RequestView request, KvSequence blocks, int computedTokens, FinishReason reason) {
  final boolean complete = reason == FinishReason.LENGTH || reason == FinishReason.STOP;
  final int tokens = computedTokens - request.inFlightTokens(); // steps that are out may fail
  if (!complete || tokens <= 0 || !TransferParams.isToBeKept(request.request())) {
    return BlockRelease.NOW;
  }
  final int[] kept = new int[(tokens + blockSize - 1) / blockSize];
  blocks.copyBlockIds(0, 0, kept, 0, kept.length);
  final Offer offer = new Offer(request.number(), kept, clock.nanoTime() + leaseNs);
  return offers.putIfAbsent(request.id(), offer) == null
      ? BlockRelease.WHEN_SENT
      : BlockRelease.NOW; // an earlier request of this id is still waiting for its reader
}

