package dev.headway.serving.chat;

import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A template whose workers stay at work until they are let go. */
public final class HeldTemplate implements ChatTemplate {

  private final CountDownLatch atWork = new CountDownLatch(TemplateWorkers.mostAtOnce());
  private final CountDownLatch end = new CountDownLatch(1);
  private final TemplateWorkers workers =
      new TemplateWorkers(Duration.ofMillis(1), this::hold, () -> this::hold);

  private String hold(String variables) {
    atWork.countDown();
    await(end);
    return variables;
  }

  /** How many chats it takes to have all workers at work. */
  public int workers() {
    return TemplateWorkers.mostAtOnce();
  }

  /** Waits until all are. */
  public void awaitAllAtWork() {
    await(atWork);
  }

  /** Lets all go on, and those that come. */
  public void letGo() {
    end.countDown();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public String render(List<ChatMessage> messages, String tools) {
    return workers.render(messages.getLast().content());
  }

  @Override
  public SpecialTokens specialTokens() {
    return SpecialTokens.LEFT_OUT;
  }

  @Override
  public String describe() {
    return "held";
  }
}
