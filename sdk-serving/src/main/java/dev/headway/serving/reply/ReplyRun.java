package dev.headway.serving.reply;

import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.TokenStream;
import dev.headway.serving.ChoiceText;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.tool.CallText;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The way of one reply, from its request's submission to its end. One thread at a time. */
public final class ReplyRun {

  /** How long one look for a token takes; the request's own timeouts end it. */
  private static final Duration LOOK = Duration.ofMinutes(1);

  private final ReplyEngine model;
  private final ReplyCall call;
  private final ReplyParts parts;
  private final ChoiceText choice;
  private final StringBuilder text = new StringBuilder();
  private final TokenStream tokens;

  private ReplyRun(ReplyEngine model, ReplyCall call, ReplyParts parts, TokenStream tokens) {
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
   * @throws ReplyException if there is none, or the caller is interrupted, which cancels it
   */
  public static Reply whole(ReplyEngine model, ReplyCall call) {
    return begin(model, call, new ReplyParts() {})
        .await()
        .orElseThrow(() -> new IllegalStateException("nothing cancels an answer that is awaited"));
  }

  /**
   * Submits a request, and does not wait.
   *
   * @param parts who gets the answer as it comes, on the thread that awaits it
   * @throws ReplyException if the engine refuses it
   */
  public static ReplyRun begin(ReplyEngine model, ReplyCall call, ReplyParts parts) {
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
      throw ReplyFailures.refused(tokens.refusal().get());
    }
    parts.begin(tokens::close);
    return new ReplyRun(model, call, parts, tokens);
  }

  /**
   * Passes the answer on to its end. Once.
   *
   * @return the whole of it; empty if its reader has cancelled it
   * @throws ReplyException if there is none, or the caller is interrupted, which cancels it
   */
  public Optional<Reply> await() {
    final EngineTimes times = model.times();
    try (tokens) {
      final Finished finished = finished();
      return finished == null ? Optional.empty() : Optional.of(answer(finished, times));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ReplyException(
          ReplyException.Kind.CANCELLED,
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
  private Reply answer(Finished finished, @Nullable EngineTimes times) throws InterruptedException {
    if (!choice.isDone()) {
      ReplyFailures.requireReply(finished, call.names());
      choice.end(finished);
    }
    pass();
    final List<CallText.Call> calls = completeCalls(choice.calls());
    parts.end(calls.size());
    return new Reply(
        call.request().id(),
        text.toString(),
        calls,
        ChoiceText.LENGTH.equals(choice.finishReason()),
        call.promptTokenIds().length,
        choice.tokens(),
        finished.waits(),
        finished.preemptions(),
        finished.arrivalNs(),
        choice.tokens() == 0 ? OptionalLong.empty() : OptionalLong.of(choice.firstTokenNs()),
        finished.finishedNs(),
        times == null || choice.tokens() == 0 ? null : times.take(call.request().id()));
  }

  /** The calls that are complete: one that is cut off may lack the end of its last. */
  private static List<CallText.Call> completeCalls(@Nullable CallText calls) {
    return calls == null
        ? List.of()
        : calls.calls().stream().filter(each -> isObject(each.arguments())).toList();
  }

  private static boolean isObject(String json) {
    try {
      return JsonMapper.shared().readTree(json).isObject();
    } catch (JacksonException e) {
      return false;
    }
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
}
