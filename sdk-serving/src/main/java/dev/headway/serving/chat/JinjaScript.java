package dev.headway.serving.chat;

import dev.headway.serving.chat.ChatTemplateException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.ContextFactory;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.RhinoException;
import org.mozilla.javascript.ScriptableObject;

/**
 * Hugging Face's Jinja, in JavaScript, run by Rhino without access to Java; some milliseconds a
 * call once warm. One thread at a time. Calls between {@link #begin} and the next share one limit
 * of time.
 */
final class JinjaScript {

  private static final String[] SOURCES = {"jinja.js", "chat-template.js"};
  private static final int INSTRUCTIONS_BETWEEN_LOOKS = 10_000;
  private static final int MAX_DEPTH = 2_000; // frames: a macro that calls itself ends

  private final Engine engine;
  private final ScriptableObject scope;
  private final ScriptableObject functions;

  private JinjaScript(Engine engine, ScriptableObject scope, ScriptableObject functions) {
    this.engine = engine;
    this.scope = scope;
    this.functions = functions;
  }

  /**
   * Loads the library, which takes about a second.
   *
   * @param longest what work may take from {@link #begin} on
   */
  static JinjaScript load(Duration longest) {
    final Engine engine = new Engine(longest);
    return engine.call(
        context -> {
          final ScriptableObject scope = context.initSafeStandardObjects();
          ScriptableObject.putProperty(scope, "exports", context.newObject(scope));
          for (String name : SOURCES) {
            context.evaluateString(scope, source(name), name, 1, null);
          }
          return new JinjaScript(
              engine,
              scope,
              (ScriptableObject) ScriptableObject.getProperty(scope, "chatTemplate"));
        });
  }

  private static String source(String name) {
    try (InputStream in = JinjaScript.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the jar must hold the script: script=" + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Calls a function that answers { value } or { error, refused }, and returns the value. */
  Object attempt(String function, Object... arguments) {
    final ScriptableObject answer = (ScriptableObject) call(function, arguments);
    final Object error = ScriptableObject.getProperty(answer, "error");
    if (error instanceof CharSequence reason) {
      final boolean refused = Context.toBoolean(ScriptableObject.getProperty(answer, "refused"));
      throw new ChatTemplateException(refused ? Kind.REFUSED : Kind.FAILED, reason.toString());
    }
    return ScriptableObject.getProperty(answer, "value");
  }

  /** Calls a function that answers a number. */
  int number(String function, Object... arguments) {
    return (int) Context.toNumber(call(function, arguments));
  }

  /** Begins work that has all of the time. */
  void begin() {
    engine.untilNs = System.nanoTime() + engine.longest.toNanos();
  }

  private Object call(String function, Object... arguments) {
    try {
      return engine.call(
          context ->
              ((Function) ScriptableObject.getProperty(functions, function))
                  .call(context, scope, functions, arguments));
    } catch (TooLongException e) {
      throw new ChatTemplateException(Kind.TOO_LONG, e.reason());
    } catch (RhinoException e) {
      throw new ChatTemplateException(Kind.FAILED, e.details());
    }
  }

  /** Ends a script; an Error, since scripts catch exceptions. */
  private static final class TooLongException extends Error {
    private static final long serialVersionUID = 1;

    private final long longestMs;

    TooLongException(Duration longest) {
      super(null, null, false, false);
      this.longestMs = longest.toMillis();
    }

    String reason() {
      return "it must end within " + longestMs + " ms";
    }
  }

  /** Rhino as these scripts need it. */
  private static final class Engine extends ContextFactory {

    private final Duration longest;
    private long untilNs = Long.MAX_VALUE;

    Engine(Duration longest) {
      this.longest = longest;
    }

    @Override
    protected Context makeContext() {
      final Context context = super.makeContext();
      context.setLanguageVersion(Context.VERSION_ES6);
      context.setInterpretedMode(true); // starts at once, and is as fast on such short scripts
      context.setMaximumInterpreterStackDepth(MAX_DEPTH);
      context.setInstructionObserverThreshold(INSTRUCTIONS_BETWEEN_LOOKS);
      return context;
    }

    @Override
    protected void observeInstructionCount(Context context, int instructions) {
      if (untilNs != Long.MAX_VALUE && System.nanoTime() - untilNs > 0) {
        throw new TooLongException(longest);
      }
    }
  }
}
