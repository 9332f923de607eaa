package dev.headway.spring.ai;

import dev.headway.api.engine.Engine;
import dev.headway.serving.ConstraintCompiler;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedModel;
import dev.headway.serving.reply.ReplyCall;
import dev.headway.serving.reply.ReplyEngine;
import dev.headway.serving.reply.ReplyMaker;
import dev.headway.serving.reply.ReplyRun;
import dev.headway.serving.tool.ToolParser;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import reactor.core.publisher.Flux;

/**
 * A chat model on an engine in the same process. {@code call} waits for the answer on the calling
 * thread, and an interrupt cancels the request. {@code stream} submits at its subscription, so that
 * requests are queued in the order of subscriptions; its signals come on a virtual thread of the
 * answer's own, tokens that are not asked for yet wait, and a cancelled subscription frees the
 * engine before it plans its next step. Any thread, and as many requests at a time as the engine
 * lets in; the engine must have been started.
 *
 * <p>Calls of tools are returned, not executed: a {@code ChatClient} executes them.
 *
 * <p>Errors are {@link dev.headway.serving.reply.ReplyException}, whose kind says what to do.
 */
public final class HeadwayChatModel implements ChatModel, AutoCloseable {

  private final ReplyEngine engine;
  private final ReplyMaker maker;
  private final @Nullable ToolParser toolParser;
  private final HeadwayChatOptions defaults;

  private HeadwayChatModel(ReplyEngine engine, Builder builder) {
    this.engine = engine;
    this.maker = new ReplyMaker(engine);
    this.toolParser = builder.toolParser;
    this.defaults = builder.defaults;
    maker.requireSupported(defaults);
    OptionShape.of(defaults, toolParser);
  }

  /** Begins to make a model. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Answers a prompt.
   *
   * @throws dev.headway.serving.reply.ReplyException if there is no answer; its kind says why
   */
  @Override
  public ChatResponse call(Prompt prompt) {
    return Responses.whole(ReplyRun.whole(engine, make(prompt)), engine.served().name());
  }

  /** Answers a prompt in parts; the last has the calls and the metadata of the request. */
  @Override
  public Flux<ChatResponse> stream(Prompt prompt) {
    return Flux.create(
        sink -> new StreamedReply(sink, engine.served().name()).start(engine, () -> make(prompt)));
  }

  private ReplyCall make(Prompt prompt) {
    final long arrivalNs = engine.engine().clock().nanoTime();
    final HeadwayChatOptions options = defaults.with(prompt.getOptions());
    maker.requireSupported(options);
    return maker.chat(
        PromptMessages.of(prompt.getInstructions()),
        options,
        OptionShape.of(options, toolParser),
        arrivalNs);
  }

  /** What holds for each prompt that says nothing else. */
  @Override
  public ChatOptions getOptions() {
    return defaults;
  }

  /** Ends the threads that compile constraints, if they are this model's own. Not the engine. */
  @Override
  public void close() {
    engine.close();
  }

  /** Makes a model. One thread. */
  public static final class Builder {

    private @Nullable Engine engine;
    private @Nullable ServedModel model;
    private @Nullable ConstraintCompiler constraints;
    private @Nullable EngineTimes engineTimes;
    private @Nullable ToolParser toolParser;
    private HeadwayChatOptions defaults = HeadwayChatOptions.builder().build();

    private Builder() {}

    /** The engine that answers. It has to be started; closing it is up to its owner. */
    public Builder engine(Engine value) {
      engine = value;
      return this;
    }

    /**
     * What the engine's executor runs: its name, tokenizer and chat template, the tokens that end
     * an answer, and how long prompt and answer may be together.
     */
    public Builder model(ServedModel value) {
      model = value;
      return this;
    }

    /**
     * What holds for each prompt that says nothing else.
     *
     * @throws dev.headway.serving.reply.ReplyException if they are another provider's
     */
    public Builder defaultOptions(ChatOptions options) {
      defaults = HeadwayChatOptions.builder().build().with(options);
      return this;
    }

    /**
     * Shares a compiler of constraints, which then outlives the model; unless set, the model makes
     * one of its own at the first constraint.
     */
    public Builder constraints(ConstraintCompiler shared) {
      constraints = shared;
      return this;
    }

    /**
     * The probe that the engine was built with: with it a response says when its request was queued
     * and scheduled, and how many tokens of its prompt were cached.
     */
    public Builder engineTimes(EngineTimes probe) {
      engineTimes = probe;
      return this;
    }

    /**
     * How the model writes calls of its own accord. Unless set, tools need {@code
     * ToolChoice.REQUIRED} or {@code NONE}: calls that have to be made are kept by a grammar,
     * whatever the model has learned.
     */
    public Builder toolParser(ToolParser parser) {
      toolParser = parser;
      return this;
    }

    /**
     * Returns the model.
     *
     * @throws IllegalArgumentException if the engine or the model is missing
     * @throws dev.headway.serving.reply.ReplyException if a default cannot be honoured
     */
    public HeadwayChatModel build() {
      return new HeadwayChatModel(
          new ReplyEngine(
              required(engine, "engine", "the engine that answers"),
              required(model, "model", "what the engine runs"),
              constraints,
              engineTimes),
          this);
    }

    private static <V> V required(@Nullable V value, String name, String what) {
      if (value == null) {
        throw new IllegalArgumentException(name + " must be set, " + what + ": " + name + "=null");
      }
      return value;
    }
  }
}
