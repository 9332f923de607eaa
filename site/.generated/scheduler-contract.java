/** A scheduler of one's own keeps the contract, and an engine runs it. */
class CustomSchedulerTest extends SchedulerContract {

  @Override
  protected Scheduler create(SchedulerContext context) {
    return new PromptFirstScheduler(context);
  }

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return new PlainKvCache(context);
  }

  @Override
  protected boolean explainsWaits() {
    return false; // it tells no reasons
  }

