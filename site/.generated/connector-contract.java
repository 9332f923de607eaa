/** The connector that fetches keeps the contract: the other side is the one that sends. */
class DecodeConnectorTest extends KvConnectorContract {

  private final CheckedKvBlocks theirs = CheckedKvBlocks.open(65, BLOCK_BYTES);
  private PrefillConnector sends;
  private int nextBlock = 1;

  @BeforeEach
  void startOtherSide() throws IOException {
    sends = new PrefillConnector(theirs, BLOCK_SIZE, Duration.ofSeconds(30), new VirtualClock());
    sends.start(report -> {});
  }

  @AfterEach
  void endOtherSide() {
    sends.close();
  }

  @Override
  protected KvConnector connector(CheckedKvBlocks blocks, KvCacheShape shape) {
    return new DecodeConnector(blocks, shape.blockSize());
  }

  @Override
  protected Request loadable(String id, int... prompt) {
    final Request prefill =
        Request.builder(id, prompt).maxTokens(1).kvTransferParams(TransferParams.keep()).build();
    final int[] table =
        IntStream.range(0, (prompt.length + BLOCK_SIZE - 1) / BLOCK_SIZE)
            .map(i -> nextBlock++)
            .toArray();
    for (int i = 0; i < table.length; i++) {
      theirs.compute(table[i], CheckedKvBlocks.kvOf(prompt, i, BLOCK_SIZE, BLOCK_BYTES));
    }
    sends.requestFinished(
        FakeRequest.of(0, prefill).computedTokens(prompt.length).append(1),
        new FakeSequence(1, table),
        prompt.length,
        FinishReason.LENGTH);
    return Request.builder(id, prompt)
        .maxTokens(8)
        .kvTransferParams(TransferParams.fetch(sends.address(), id))
        .build();
  }

  @Override
  protected boolean breakSource() {
    sends.close();
    return true;
  }
}
