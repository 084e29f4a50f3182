/* Functions of an export, each there where it is needed; words in capitals are replaced. */

static double NAME_number(double value) {
    return LOWEST <= value && value <= HIGHEST ? NAN : value;
}

static double NAME_code(double value, int n_codes) {
    return isnan(value) || (value >= 0 && value < n_codes) ? value : -1;
}

static double NAME_sigmoid(double score, double spread) {
    if (fabs(score) > BEYOND * spread) {
        return score > 0;
    }
    return 1.0 / (1.0 + exp(-score / spread));
}

static void NAME_softmax(double *scores, int n, double spread) {
    double most = -1e308, total = 0.0;
    for (int i = 0; i < n; i++) {
        scores[i] = fmin(fmax(scores[i], -1e308), 1e308);
        most = fmax(most, scores[i]);
    }
    for (int i = 0; i < n; i++) {
        scores[i] = exp((scores[i] - most) / spread);
        total += scores[i];
    }
    for (int i = 0; i < n; i++) {
        scores[i] /= total;
    }
}

static int NAME_cheapest(const double *shares) {
    const double costs[N_CLASSES] = {EXPECTED};
    const int order[N_CLASSES] = {ORDER};
    int best = order[0];
    for (int c = 1; c < N_CLASSES; c++) {
        if (costs[order[c]] < costs[best]) {
            best = order[c];
        }
    }
    return best;
}

static void NAME_toward(double *p, const double *other, int best, double margin) {
    static const double mistakes[N_CLASSES][N_CLASSES] = COSTS;
    double of_p[N_CLASSES] = {0}, of_other[N_CLASSES] = {0}, part = 0.0;
    for (int i = 0; i < N_CLASSES; i++) {
        for (int c = 0; c < N_CLASSES; c++) {
            of_p[c] += p[i] * mistakes[i][c];
            of_other[c] += other[i] * mistakes[i][c];
        }
    }
    for (int c = 0; c < N_CLASSES; c++) {
        const double dearer = of_p[c] - of_p[best], room = of_other[c] - of_other[best];
        const double wanting = margin * mistakes[best][c] - dearer;
        if (wanting > 0 && room > dearer) {
            part = fmax(part, fmin(wanting / (room - dearer), 1.0));
        }
    }
    for (int c = 0; c < N_CLASSES; c++) {
        p[c] = (1.0 - part) * p[c] + part * other[c];
    }
}

void NAME_shares(const double *row, double *shares) {
    double way[N_CLASSES], certain[N_CLASSES] = {0};
    NAME_graded(row, shares);
    NAME_way(row, way);
    const int best = NAME_cheapest(way);
    certain[best] = 1.0;
    NAME_toward(shares, way, best, 0.0);
    NAME_toward(shares, certain, best, MARGIN);
}
