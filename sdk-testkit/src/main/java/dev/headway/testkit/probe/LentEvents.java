package dev.headway.testkit.probe;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.JourneyStage;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Calls methods of a probe with views that are valid during the call only: each view used
 * afterwards throws, and says so. What a view answers is plausible, not consistent.
 */
final class LentEvents {

  private static final int BLOCK_SIZE = 16;
  private static final long NONE = 0;

  private final FakeRequest request = FakeRequest.of(1, 1, 2, 3, 4).running(4).append(5);
  private final StepOutput output = new StepOutput();
  private final List<String> violations = new ArrayList<>();
  private long nowNs = 1_000;
  private int variant;
  private long calls;

  /** The call that goes on, or none. */
  private long calling = NONE;

  LentEvents() {
    output.begin(1, 1);
  }

  /** The uses of views after the call they were lent for. */
  List<String> violations() {
    return violations;
  }

  /**
   * Calls a method of a probe with arguments made for it.
   *
   * @param number from 0; other numbers make other values: each constant of an enum, null and not
   */
  void call(Probe probe, Method event, int number) throws Throwable {
    calling = ++calls;
    variant = number;
    nowNs += 10;
    final Class<?>[] types = event.getParameterTypes();
    final Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = types[i] == long.class ? (Object) nowNs : value(types[i], "text");
    }
    try {
      event.invoke(probe, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    } finally {
      calling = NONE;
    }
  }

  private Object value(Class<?> type, String name) {
    if (type == long.class) {
      return name.endsWith("Ns") ? nowNs : 1L;
    } else if (type == int.class) {
      return name.equals("group") ? 0 : 1;
    } else if (type == boolean.class) {
      return variant % 3 > 0;
    } else if (type == double.class) {
      return 0.5;
    } else if (type == String.class) {
      return name;
    } else if (type.isEnum()) {
      return type.getEnumConstants()[variant % type.getEnumConstants().length];
    } else if (type == RunInfo.class) {
      return run();
    } else if (type == JourneyEvent.class) {
      return journey();
    } else if (type == StepOutput.class) {
      return output;
    } else if (type == Request.class) {
      return request.request();
    } else if (type == RequestView.class) {
      return lend(RequestView.class, request);
    } else if (type == StepPlan.class) {
      return lend(StepPlan.class, plan());
    } else if (type == Throwable.class) {
      return new IllegalStateException("a failure that is reported");
    } else if (type == OptionalInt.class) {
      return OptionalInt.empty();
    } else if (type == OptionalLong.class) {
      return OptionalLong.empty();
    } else if (type == Optional.class) {
      return Optional.empty();
    } else if (type.isInterface()) {
      return lend(type, null);
    }
    throw new IllegalStateException("a value must be known for each type: type=" + type.getName());
  }

  private static boolean mayBeNull(Method method) {
    for (Annotation annotation : method.getAnnotatedReturnType().getAnnotations()) {
      if (annotation.annotationType().getSimpleName().equals("Nullable")) {
        return true;
      }
    }
    return false;
  }

  /** Whether it is a view that is valid as long as its plan. */
  private static boolean isPartOfPlan(Class<?> type) {
    return type.isInterface() && type.getPackageName().equals(StepPlan.class.getPackageName());
  }

  private StepPlan plan() {
    final FakePlan plan = new FakePlan(1, nowNs, nowNs + 1);
    return plan.entry(request, EntryKind.RUNNING, 1, 1).producing(1);
  }

  private JourneyEvent journey() {
    final JourneyStage stage = (JourneyStage) value(JourneyStage.class, "stage");
    return stage == JourneyStage.ABORTED
        ? JourneyEvent.aborted("r1", nowNs, "gone", null)
        : JourneyEvent.of("r1", stage, nowNs);
  }

  private static RunInfo run() {
    return RunInfo.builder(
            SchedulerConfig.builder(
                    SchedulerLimits.builder()
                        .maxNumSeqs(8)
                        .maxNumBatchedTokens(64)
                        .maxModelLen(128)
                        .build())
                .build(),
            KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(65).build())
        .headwayVersion("0")
        .executor("fake")
        .virtualTime(true)
        .build();
  }

  /** A view that answers as {@code answers} does, or with plausible values if that is null. */
  private Object lend(Class<?> type, @Nullable Object answers) {
    final long lentFor = calls;
    final InvocationHandler handler =
        (view, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return method.invoke(this, arguments);
          }
          if (calling != lentFor) {
            violations.add(type.getSimpleName() + "." + method.getName());
            throw new IllegalStateException(
                "a view must not be used after the call it was lent for: "
                    + type.getSimpleName()
                    + "."
                    + method.getName());
          }
          if (answers != null) {
            final Object answer = method.invoke(answers, arguments);
            return isPartOfPlan(method.getReturnType())
                ? lend(method.getReturnType(), answer)
                : answer;
          }
          if (method.isDefault()) {
            return InvocationHandler.invokeDefault(view, method, arguments);
          }
          return variant % 2 > 0 && mayBeNull(method)
              ? null
              : value(method.getReturnType(), method.getName());
        };
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }
}
