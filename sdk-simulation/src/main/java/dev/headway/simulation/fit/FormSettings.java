package dev.headway.simulation.fit;

/**
 * What the features of a part of the step are made by.
 *
 * @param form of the part that the device takes; the host's features are the same in every form
 * @param sharpness of the roofline of physics; infinity otherwise
 * @param classes numbers of decodes that are served alike; one where the form does not ask
 */
public record FormSettings(StepTimeForm form, double sharpness, RowClasses classes) {

  /** A form without more to it. */
  static FormSettings of(StepTimeForm form) {
    return new FormSettings(form, Double.POSITIVE_INFINITY, RowClasses.ONE);
  }

  FormSettings withSharpness(double value) {
    return new FormSettings(form, value, classes);
  }

  FormSettings withClasses(RowClasses value) {
    return new FormSettings(form, sharpness, value);
  }
}
