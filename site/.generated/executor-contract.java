class HashExecutorTest extends ExecutorContract {

  @Override
  protected Executor create() {
    return new HashExecutor();
  }

  @Override
  protected boolean computesTokens() {
    return true; // from what its blocks hold
  }

