package dev.headway.serving.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that find all workers at work. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TemplateWorkersTest {

  @Test
  void shouldSayThatAllAreAtWorkAndGoOnWhenOneIsFree() throws Exception {
    final int workers = TemplateWorkers.mostAtOnce();
    final CountDownLatch atWork = new CountDownLatch(workers);
    final CountDownLatch end = new CountDownLatch(1);
    final TemplateWorkers.Scope scope =
        variables -> {
          atWork.countDown();
          await(end);
          return variables;
        };
    final TemplateWorkers all = new TemplateWorkers(Duration.ofMillis(1), scope, () -> scope);
    final List<CompletableFuture<String>> prompts = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      prompts.add(
          CompletableFuture.supplyAsync(
              () -> all.render("a"), task -> Thread.ofVirtual().start(task)));
    }
    await(atWork);

    final ChatTemplateException busy =
        catchThrowableOfType(ChatTemplateException.class, () -> all.render("b"));
    end.countDown();

    assertThat(busy.kind()).isEqualTo(ChatTemplateException.Kind.BUSY);
    for (CompletableFuture<String> prompt : prompts) {
      assertThat(prompt.get()).isEqualTo("a");
    }
    assertThat(all.render("b")).isEqualTo("b");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }
}
