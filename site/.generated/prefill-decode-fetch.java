@Override
public void lookup(RequestView request, int local, ExternalTokens answer) {
  final boolean fetched = fetches.containsKey(request.number());
  if (!fetched && TransferParams.isToBeFetched(request.request())) {
    answer.ahead(Math.max(0, request.promptTokens() - 1 - local)); // the last is computed here
  }
}

@Override
public void admitted(RequestView request, KvSequence table, int externalTokens) {
  if (externalTokens == 0) {
    return;
  }
  final int[] targets = new int[(externalTokens + blockSize - 1) / blockSize];
  final int from = table.blockCount(0) - targets.length; // behind the local ones
  table.copyBlockIds(0, from, targets, 0, targets.length);
  final BlockFetch fetch = new BlockFetch(request, from, targets, blocks, sink());
  fetches.put(request.number(), fetch);
  threads.execute(fetch);
}

