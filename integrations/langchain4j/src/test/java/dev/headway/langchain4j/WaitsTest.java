package dev.headway.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.schedule.WaitReason;
import dev.headway.serving.ServedEngine;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.Until;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WaitsTest {

  private static final ChatRequest HI =
      ChatRequest.builder().messages(UserMessage.from("Hi, how are you all?")).build();

  private static HeadwayChatResponseMetadata metadata(Collected answer) throws Exception {
    return (HeadwayChatResponseMetadata) answer.response().metadata();
  }

  @Test
  void shouldSayThatASecondRequestWaitedForTheOnlySeat() throws Exception {
    final ServedEngine.Setup setup = new ServedEngine.Setup();
    setup.maxNumSeqs = 1;
    final TextExecutor executor = new TextExecutor("fine", 256).hold();
    try (InProcess given = InProcess.start(setup, executor)) {
      final CountDownLatch begun = new CountDownLatch(1);
      final Collected first =
          new Collected() {
            @Override
            void onText(dev.langchain4j.model.chat.response.StreamingHandle handle) {
              begun.countDown();
            }
          };
      given.streaming().build().chat(HI, first);
      executor.let(1);
      assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue(); // the first has the only seat

      final Collected second = Collected.of(given.streaming().build(), HI);
      Until.holds(() -> given.engine.stats().submitted() == 2);
      executor.letAll(); // the next plan finds it in the queue, and the first with tokens to come

      final HeadwayChatResponseMetadata of1 = metadata(first);
      final HeadwayChatResponseMetadata of2 = metadata(second);
      assertThat(of1.waits().byReason()).doesNotContainKey(WaitReason.MAX_NUM_SEQS);
      assertThat(of2.waits().ns(WaitReason.MAX_NUM_SEQS)).isPositive();
      assertThat(of2.waits().totalNs())
          .isEqualTo(of2.scheduledNs().getAsLong() - of2.queuedNs().getAsLong());
      assertThat(of2.toString()).contains("waits={").contains("max_num_seqs=");
    }
  }

  @Test
  void shouldSayWhenThingsHappenedAndWhatWasCached() throws Exception {
    try (InProcess given = InProcess.always("fine")) {
      final HeadwayChatModel model = given.chat().build();
      model.chat(HI);

      final HeadwayChatResponseMetadata metadata =
          (HeadwayChatResponseMetadata) model.chat(HI).metadata();

      assertThat(metadata.cachedPromptTokens().getAsInt()).isEqualTo(64); // blocks of 16, of 71
      assertThat(metadata.arrivalNs()).isLessThanOrEqualTo(metadata.queuedNs().getAsLong());
      assertThat(metadata.queuedNs().getAsLong())
          .isLessThanOrEqualTo(metadata.scheduledNs().getAsLong());
      assertThat(metadata.scheduledNs().getAsLong())
          .isLessThan(metadata.firstTokenNs().getAsLong());
      assertThat(metadata.firstTokenNs().getAsLong()).isLessThan(metadata.finishedNs());
      assertThat(metadata.toBuilder().build()).isEqualTo(metadata);
      assertThat(metadata.preemptions()).isZero();
    }
  }

  @Test
  void shouldLeaveOutWhatOnlyTheProbeKnows() {
    try (InProcess given = InProcess.always("fine")) {
      final HeadwayChatModel model =
          HeadwayChatModel.builder().engine(given.engine).model(given.model).build();

      final HeadwayChatResponseMetadata metadata =
          (HeadwayChatResponseMetadata) model.chat(HI).metadata();

      assertThat(metadata.queuedNs()).isEmpty();
      assertThat(metadata.scheduledNs()).isEmpty();
      assertThat(metadata.cachedPromptTokens()).isEmpty();
      assertThat(metadata.firstTokenNs()).isPresent();
    }
  }
}
