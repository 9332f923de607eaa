package dev.headway.langchain4j;

import dev.headway.api.engine.Engine;
import dev.headway.serving.ConstraintCompiler;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedModel;
import dev.headway.serving.reply.ReplyEngine;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import org.jspecify.annotations.Nullable;

/**
 * What all models are made of. One thread.
 *
 * @param <T> the builder
 */
public abstract sealed class HeadwayModelBuilder<T extends HeadwayModelBuilder<T>>
    permits HeadwayChatBuilder,
        HeadwayLanguageModel.Builder,
        HeadwayStreamingLanguageModel.Builder {

  private @Nullable Engine engine;
  private @Nullable ServedModel model;
  private @Nullable ConstraintCompiler constraints;
  private @Nullable EngineTimes engineTimes;
  private HeadwayChatRequestParameters defaults = HeadwayChatRequestParameters.EMPTY;

  HeadwayModelBuilder() {}

  abstract T self();

  /** The engine that answers. It has to be started; closing it is up to its owner. */
  public T engine(Engine value) {
    engine = value;
    return self();
  }

  /**
   * What the engine's executor runs: its name, tokenizer and chat template, the tokens that end an
   * answer, and how long prompt and answer may be together.
   */
  public T model(ServedModel value) {
    model = value;
    return self();
  }

  /** What holds for each request that says nothing else. */
  public T defaultRequestParameters(ChatRequestParameters parameters) {
    defaults = HeadwayChatRequestParameters.EMPTY.overrideWith(parameters);
    return self();
  }

  /**
   * Shares a compiler of constraints, which then outlives the model; unless set, the model makes
   * one of its own at the first constraint.
   */
  public T constraints(ConstraintCompiler shared) {
    constraints = shared;
    return self();
  }

  /**
   * The probe that the engine was built with: with it an answer says when its request was queued
   * and scheduled, and how many tokens of its prompt were cached.
   */
  public T engineTimes(EngineTimes probe) {
    engineTimes = probe;
    return self();
  }

  final ReplyEngine replyEngine() {
    return new ReplyEngine(
        required(engine, "engine", "the engine that answers"),
        required(model, "model", "what the engine runs"),
        constraints,
        engineTimes);
  }

  final HeadwayChatRequestParameters defaults() {
    return defaults;
  }

  private static <V> V required(@Nullable V value, String name, String what) {
    if (value == null) {
      throw new IllegalArgumentException(name + " must be set, " + what + ": " + name + "=null");
    }
    return value;
  }
}
