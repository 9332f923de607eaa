package dev.headway.testkit.probe;

import static java.util.Map.entry;

import dev.headway.api.config.EngineLimits;
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
import dev.headway.testkit.FakeRun;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls methods of a probe with views that are valid during the call only: each view used
 * afterwards throws, and says so. What a view answers is plausible, not consistent.
 */
final class LentEvents {

  private static final long NONE = 0;

  private final FakeRequest request = FakeRequest.of(1, 1, 2, 3, 4).running(4).append(5);
  private final StepOutput output = new StepOutput();
  private final List<String> violations = new ArrayList<>();

  /** Makes a value of a type for the argument or method of a name. */
  private final Map<Class<?>, Function<String, Object>> values =
      Map.ofEntries(
          entry(long.class, name -> name.endsWith("Ns") ? this.nowNs : 1L),
          entry(int.class, name -> name.equals("group") ? 0 : 1),
          entry(boolean.class, name -> this.variant % 3 > 0),
          entry(double.class, name -> 0.5),
          entry(String.class, name -> name),
          entry(OptionalInt.class, name -> OptionalInt.empty()),
          entry(OptionalLong.class, name -> OptionalLong.empty()),
          entry(Optional.class, name -> Optional.empty()),
          entry(Throwable.class, name -> new IllegalStateException("a failure that is reported")),
          entry(RunInfo.class, name -> run()),
          entry(JourneyEvent.class, name -> journey()),
          entry(EngineLimits.class, name -> EngineLimits.of(run().config())),
          entry(Request.class, name -> request.request()),
          entry(RequestView.class, name -> lend(RequestView.class, request)),
          entry(StepPlan.class, name -> lend(StepPlan.class, plan())),
          entry(StepOutput.class, name -> output));

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
    final Function<String, Object> made = values.get(type);
    if (made != null) {
      return made.apply(name);
    } else if (type.isEnum()) {
      return type.getEnumConstants()[variant % type.getEnumConstants().length];
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
    return FakeRun.builder(65).headwayVersion("0").executor("fake").build();
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
