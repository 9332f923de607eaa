package dev.headway.langchain4j;

import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.TokenStream;
import dev.headway.serving.ChoiceText;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.tool.CallText;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.exception.LangChain4jException;
import dev.langchain4j.model.output.TokenUsage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The way of one answer, from its request's submission to its end. One thread at a time. */
final class Generation {

  /** How long one look for a token takes; the request's own timeouts end it. */
  private static final Duration LOOK = Duration.ofMinutes(1);

  private final EngineModel model;
  private final ModelCall call;
  private final Parts parts;
  private final ChoiceText choice;
  private final StringBuilder text = new StringBuilder();
  private final TokenStream tokens;

  private Generation(EngineModel model, ModelCall call, Parts parts, TokenStream tokens) {
    this.model = model;
    this.call = call;
    this.parts = parts;
    this.tokens = tokens;
    this.choice =
        new ChoiceText(
            0,
            model.served().tokenizer().decoder(call.promptTokenIds()),
            call.stopStrings(),
            call.request().stopRule(),
            call.tools().begin());
  }

  /**
   * Waits for an answer.
   *
   * @throws LangChain4jException if there is none, or the caller is interrupted, which cancels it
   */
  static ModelAnswer whole(EngineModel model, ModelCall call) {
    return begin(model, call, new Parts() {})
        .await()
        .orElseThrow(() -> new IllegalStateException("nothing cancels an answer that is awaited"));
  }

  /**
   * Submits a request, and does not wait.
   *
   * @param parts who gets the answer as it comes, on the thread that awaits it
   * @throws LangChain4jException if the engine refuses it
   */
  static Generation begin(EngineModel model, ModelCall call, Parts parts) {
    final EngineTimes times = model.times();
    if (times != null) {
      times.watch(call.request().id());
    }
    final TokenStream tokens =
        TokenStream.submit(
            model.engine(),
            List.of(call.request()),
            call.request().stopRule().maxTokens(), // room for all: a slow reader loses none
            call.arrivalNs());
    if (tokens.refusal().isPresent()) {
      if (times != null) {
        times.forget(call.request().id());
      }
      throw Failures.refused(tokens.refusal().get());
    }
    parts.begin(tokens::close);
    return new Generation(model, call, parts, tokens);
  }

  /**
   * Passes the answer on to its end. Once.
   *
   * @return the whole of it; empty if its reader has cancelled it
   * @throws LangChain4jException if there is none, or the caller is interrupted, which cancels it
   */
  Optional<ModelAnswer> await() {
    final EngineTimes times = model.times();
    try (tokens) {
      final Finished finished = finished();
      return finished == null ? Optional.empty() : Optional.of(answer(finished, times));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LangChain4jException(
          "interrupted while waiting for an answer, which is cancelled: id=" + call.request().id(),
          e);
    } finally {
      if (times != null) {
        times.forget(call.request().id());
      }
    }
  }

  /** Takes tokens to the end of the request; null if the reader wants no more. */
  private @Nullable Finished finished() throws InterruptedException {
    while (!parts.isCancelled()) {
      final TokenStream.Event event = tokens.next(LOOK);
      if (parts.isCancelled()) {
        return null; // while it waited
      }
      if (event instanceof TokenStream.Token token) {
        if (choice.accept(token)) {
          tokens.handles().getFirst().stop(); // its end says what it has waited for
        }
        if (!choice.isDone() && !choice.awaitsEnd()) {
          pass();
        }
      } else if (event instanceof TokenStream.End end) {
        return (Finished) end.outcome(); // a refusal was no stream
      }
    }
    return null;
  }

  /** A stop string may have been before whatever ended the request. */
  private ModelAnswer answer(Finished finished, @Nullable EngineTimes times)
      throws InterruptedException {
    if (!choice.isDone()) {
      Failures.requireAnswer(finished);
      choice.end(finished);
    }
    pass();
    final List<ToolExecutionRequest> calls = ModelAnswer.calls(choice.calls());
    parts.end(calls.size());
    return new ModelAnswer(text.toString(), calls, metadata(finished, calls, times));
  }

  /** Passes on what became certain. */
  private void pass() {
    final CallText calls = choice.calls();
    if (calls == null) {
      passText(choice.takeText());
      return;
    }
    calls.push(choice.takeText());
    if (choice.isDone()) {
      calls.finish();
    }
    passText(calls.takeContent());
    for (CallText.Delta delta : calls.takeDeltas()) {
      parts.call(delta.index(), calls.calls().get(delta.index()), delta.arguments());
    }
  }

  private void passText(String certain) {
    text.append(certain);
    parts.text(certain);
  }

  private HeadwayChatResponseMetadata metadata(
      Finished finished, List<ToolExecutionRequest> calls, @Nullable EngineTimes probe)
      throws InterruptedException {
    final EngineTimes.Times times =
        probe == null || choice.tokens() == 0 ? null : probe.take(call.request().id());
    return HeadwayChatResponseMetadata.builder()
        .id(call.request().id())
        .modelName(model.served().name())
        .tokenUsage(new TokenUsage(call.promptTokenIds().length, choice.tokens()))
        .finishReason(ModelAnswer.finishReason(choice, calls))
        .waits(finished.waits(), finished.preemptions())
        .arrivalNs(finished.arrivalNs())
        .queued(
            times == null ? OptionalLong.empty() : OptionalLong.of(times.queuedNs()),
            times == null ? OptionalLong.empty() : OptionalLong.of(times.scheduledNs()),
            times == null ? OptionalInt.empty() : OptionalInt.of(times.cachedTokens()))
        .firstTokenNs(
            choice.tokens() == 0 ? OptionalLong.empty() : OptionalLong.of(choice.firstTokenNs()))
        .finishedNs(finished.finishedNs())
        .build();
  }
}
