struct s {
  int i;
};
enum e { A };
void work(void);

void f(double d, struct s s, char c, enum e e) {
#pragma omp masked filter(d)
  work();
#pragma omp masked filter(s)
  work();
#pragma omp parallel masked filter(1.5)
  work();
#pragma omp masked filter(c)
  work();
#pragma omp masked filter(e)
  work();
#pragma omp masked
  work();
}
